import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import type { AnonymousActor } from "../../../src/service/accounts/actor.ts";
import { storeForm } from "../../../src/service/uploads/upload-form.ts";
import { openProcesses } from "../../jobs/support.ts";

const ACTOR: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };

/** curl, "Several files". */
test("aborts all files of a failed form, even if aborting the first one fails, and throws the original error", async () => {
  await using processes = await openProcesses();
  const [real] = processes.ctxs;
  let discards = 0;
  const ctx: Ctx = {
    ...real,
    blobs: {
      ...real.blobs,
      async discard(staged) {
        discards += 1;
        if (discards === 1) throw new Error("the store cannot be reached");
        await real.blobs.discard(staged);
      },
    },
  };
  const upload = storeForm(ctx, { actor: ACTOR, address: "127.0.0.1" }, async (receive) => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) await receive({ name, type: "text/plain", body: new Blob([name]).stream() }, {});
    throw new Error("the client disconnected");
  });
  await assert.rejects(upload, /the client disconnected/);
  assert.equal(discards, 3);
  assert.deepEqual(await ctx.db.selectFrom("upload_sessions").select("id").execute(), []);
  assert.deepEqual(await ctx.db.selectFrom("files").select("id").execute(), []);
  const quotas = await ctx.db.selectFrom("quotas").select("reserved_bytes").execute();
  assert.ok(quotas.every(({ reserved_bytes }) => reserved_bytes === 0));
});
