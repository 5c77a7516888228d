import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { AppError } from "../../../src/errors.ts";
import type { AnonymousActor } from "../../../src/service/accounts/actor.ts";
import { abortMultipart } from "../../../src/service/uploads/abort-upload.ts";
import { completeMultipart } from "../../../src/service/uploads/complete-multipart.ts";
import { initMultipart } from "../../../src/service/uploads/init-multipart.ts";
import { putPart } from "../../../src/service/uploads/parts.ts";
import { openProcesses } from "../../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const call: RequestContext = { actor, address: "192.0.2.7", channel: "api", userAgent: "" };
const BYTES = new TextEncoder().encode("ten bytes.");

/** A server instance whose store waits for `resume` before it commits an upload, and runs `before` first. */
function slow(ctx: Ctx, before: () => Promise<void>) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const commit: Ctx["blobs"]["commit"] = async (...asked) => {
    reached.resolve();
    await gate.promise;
    await before();
    await ctx.blobs.commit(...asked);
  };
  return { ctx: { ...ctx, blobs: { ...ctx.blobs, commit } }, reached: reached.promise, resume: gate.resolve };
}

/** Neither instance has a lease here, so each counts the other as stopped. */
test("a failed completion does not reopen an upload that another instance has taken over", async () => {
  await using processes = await openProcesses();
  const [ctx, other] = processes.ctxs;
  const upload = await initMultipart(ctx, call, { fileName: "a.txt", fileSize: BYTES.length });
  const sha256 = createHash("sha256").update(BYTES).digest("hex");
  const part = { sessionKey: upload.key, partNumber: 1, sha256 };
  await putPart(ctx, { part, sizeBytes: BYTES.length, body: new Blob([BYTES]).stream() });
  const named = { uploadId: upload.uploadId, key: upload.key };
  const first = slow(ctx, async () => {
    throw new AppError("UNAVAILABLE", "the store does not respond");
  });
  const second = slow(other, async () => undefined);
  const failing = completeMultipart(first.ctx, call, named);
  await first.reached;
  const completing = completeMultipart(second.ctx, call, named);
  await second.reached;
  first.resume();
  await assert.rejects(failing, { code: "UNAVAILABLE" });
  await assert.rejects(abortMultipart(ctx, call, named), { code: "UPLOAD_CLOSED" });
  second.resume();
  assert.equal((await completing).id, upload.fileId);
});
