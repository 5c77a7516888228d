import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import type { AnonymousActor } from "../../../src/domain/actor.ts";
import { storeForm } from "../../../src/operations/uploads/store-form.ts";
import { openProcesses } from "../../jobs/support.ts";

const ACTOR: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };

/** decisions, "Uploads". */
test("a form that fails undoes all of its files, also where undoing the first fails, and tells why it failed", async () => {
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
  const sent = storeForm(ctx, { actor: ACTOR }, async (take) => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) await take({ name, type: "text/plain", body: new Blob([name]).stream() }, {});
    throw new Error("the sender went away");
  });
  await assert.rejects(sent, /the sender went away/);
  assert.equal(discards, 3);
  assert.deepEqual(await ctx.db.selectFrom("upload_sessions").select("id").execute(), []);
  assert.deepEqual(await ctx.db.selectFrom("files").select("id").execute(), []);
  const quotas = await ctx.db.selectFrom("quotas").select("reserved_bytes").execute();
  assert.ok(quotas.every(({ reserved_bytes }) => reserved_bytes === 0));
});
