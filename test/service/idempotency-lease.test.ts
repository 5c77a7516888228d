import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { z } from "zod";
import type { Ctx, RequestContext } from "../../src/context.ts";
import type { AnonymousActor } from "../../src/service/accounts/actor.ts";
import { type UploadResult, uploadResult } from "../../src/service/files/contract.ts";
import { withIdempotency } from "../../src/service/idempotency.ts";
import { digestStream, uploadStream } from "../../src/service/uploads/upload-stream.ts";
import { openProcesses } from "../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const call: RequestContext = { actor, address: "192.0.2.7", channel: "api", userAgent: "" };
const BYTES = new TextEncoder().encode("the same bytes");

interface Gate {
  readonly reached: () => void;
  readonly open: Promise<void>;
}

/** Uploads the same file with the same key; `gate` holds back its bytes. */
async function upload(ctx: Ctx, gate?: Gate): Promise<UploadResult> {
  async function* body() {
    gate?.reached();
    await gate?.open;
    yield BYTES;
  }
  const sent = { name: "a.txt", type: null, sizeBytes: BYTES.length, body: body(), publish: {} };
  const request = { call, key: "one-and-the-same", route: "PUT /{name}" };
  const { data } = await withIdempotency<UploadResult, { readonly data: UploadResult }>(ctx, request, {
    digest: async () => digestStream(sent, createHash("sha256").update(BYTES).digest("hex")),
    run: (saveResponse) => uploadStream(ctx, { actor, saveResponse }, sent),
    toResponse: (data) => ({ success: true, data }),
    responseSchema: z.object({ data: uploadResult }),
  });
  return data;
}

/**
 * idempotency, "What a repeated request gets". Neither process holds a lease, so each takes over from the other, as after half a minute without
 * the database.
 */
for (const whichFails of ["neither", "the first"] as const) {
  test(`a write has no effect after another instance took over its key; ${whichFails} fails`, async () => {
    await using processes = await openProcesses();
    const [ctx, other] = processes.ctxs;
    const gates = [0, 1].map(() => ({ reached: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() }));
    const [one, two] = gates.map(({ reached, open }) => ({ reached: reached.resolve, open: open.promise }));
    const first = upload(ctx, one);
    await gates[0]?.reached.promise;
    const second = upload(other, two);
    await gates[1]?.reached.promise;
    if (whichFails === "neither") gates[0]?.open.resolve();
    else gates[0]?.open.reject(new Error("the client disconnected"));
    await assert.rejects(first, whichFails === "neither" ? { code: "IDEMPOTENCY_IN_PROGRESS" } : /disconnected/);
    gates[1]?.open.resolve();
    const { id } = await second;
    const files = await ctx.db.selectFrom("files").select("id").execute();
    assert.deepEqual(files, [{ id }]);
    assert.deepEqual([(await upload(ctx)).id, (await upload(other)).id], [id, id]);
  });
}
