import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Call, Ctx } from "../../src/context.ts";
import type { AnonymousActor } from "../../src/domain/actor.ts";
import { AppError } from "../../src/errors.ts";
import { abortMultipart } from "../../src/operations/uploads/abort-multipart.ts";
import { completeMultipart } from "../../src/operations/uploads/complete-multipart.ts";
import { initMultipart } from "../../src/operations/uploads/init-multipart.ts";
import { putPart } from "../../src/operations/uploads/put-part.ts";
import { openProcesses } from "../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const call: Call = { actor, requestId: "r", address: "192.0.2.7", route: "api", userAgent: "" };
const BYTES = new TextEncoder().encode("ten bytes.");

/** A process whose store takes its time to complete an upload, and then does what `end` says. */
function slow(ctx: Ctx, end: () => Promise<void>) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const commit: Ctx["blobs"]["commit"] = async (...asked) => {
    reached.resolve();
    await gate.promise;
    await end();
    await ctx.blobs.commit(...asked);
  };
  return { ctx: { ...ctx, blobs: { ...ctx.blobs, commit } }, reached: reached.promise, goOn: gate.resolve };
}

/** Neither process has a lease here, so each is dead to the other. */
test("a completion that another process took over is not opened again by the first one's failure", async () => {
  await using processes = await openProcesses();
  const [ctx, other] = processes.ctxs;
  const upload = await initMultipart(ctx, call, { fileName: "a.txt", fileSize: BYTES.length });
  const sha256 = createHash("sha256").update(BYTES).digest("hex");
  const address = { sessionKey: upload.key, partNumber: 1, sha256, untilMs: ctx.now() + 60_000 };
  await putPart(ctx, { address, sizeBytes: BYTES.length, body: new Blob([BYTES]).stream() });
  const named = { uploadId: upload.uploadId, key: upload.key };
  const first = slow(ctx, async () => {
    throw new AppError("UNAVAILABLE", "the store does not answer");
  });
  const second = slow(other, async () => undefined);
  const failing = completeMultipart(first.ctx, call, named);
  await first.reached;
  const completing = completeMultipart(second.ctx, call, named);
  await second.reached;
  first.goOn();
  await assert.rejects(failing, { code: "UNAVAILABLE" });
  await assert.rejects(abortMultipart(ctx, call, named), { code: "UPLOAD_CLOSED" });
  second.goOn();
  assert.equal((await completing).data.id, upload.fileId);
});
