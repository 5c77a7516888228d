import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Call, Ctx } from "../../src/context.ts";
import type { UploadResult } from "../../src/contract/files.ts";
import type { AnonymousActor } from "../../src/domain/actor.ts";
import { doOnce } from "../../src/operations/idempotency.ts";
import { digestStream, receiveStream } from "../../src/operations/uploads/receive-stream.ts";
import { openProcesses } from "../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const call: Call = { actor, requestId: "r", address: "192.0.2.7", route: "api", userAgent: "" };
const BYTES = new TextEncoder().encode("the same bytes");

interface Gate {
  readonly reached: () => void;
  readonly open: Promise<void>;
}

/** Uploads the same file under the same key; `gate` is what its bytes wait for. */
async function upload(ctx: Ctx, gate?: Gate): Promise<UploadResult> {
  async function* body() {
    gate?.reached();
    await gate?.open;
    yield BYTES;
  }
  const sent = { name: "a.txt", type: null, sizeBytes: BYTES.length, body: body(), publish: {} };
  const repeatable = { call, key: "one-and-the-same", route: "PUT /{name}" };
  const { data } = await doOnce(ctx, repeatable, {
    digest: async () => digestStream(sent, createHash("sha256").update(BYTES).digest("hex")),
    run: async (remember) => ({ success: true, data: await receiveStream(ctx, { actor, remember }, sent) }),
  });
  return data;
}

/** decisions, "Idempotency". Neither process has a lease here, so each is dead to the other, as after half a minute without the database. */
for (const whichFails of ["neither", "the first"] as const) {
  test(`a write whose place was taken over meanwhile has no effect of its own; ${whichFails} fails`, async () => {
    await using processes = await openProcesses();
    const [ctx, other] = processes.ctxs;
    const gates = [0, 1].map(() => ({ reached: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() }));
    const [one, two] = gates.map(({ reached, open }) => ({ reached: reached.resolve, open: open.promise }));
    const first = upload(ctx, one);
    await gates[0]?.reached.promise;
    const second = upload(other, two);
    await gates[1]?.reached.promise;
    if (whichFails === "neither") gates[0]?.open.resolve();
    else gates[0]?.open.reject(new Error("the sender went away"));
    await assert.rejects(first, whichFails === "neither" ? { code: "IDEMPOTENCY_IN_PROGRESS" } : /went away/);
    gates[1]?.open.resolve();
    const { id } = await second;
    const files = await ctx.db.selectFrom("files").select("id").execute();
    assert.deepEqual(files, [{ id }]);
    assert.deepEqual([(await upload(ctx)).id, (await upload(other)).id], [id, id]);
  });
}
