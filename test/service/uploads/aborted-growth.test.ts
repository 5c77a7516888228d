import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnonymousActor } from "../../../src/service/accounts/actor.ts";
import { getQuota } from "../../../src/service/accounts/quotas.ts";
import { UNKNOWN_SIZE_STEP_BYTES } from "../../../src/service/uploads/create-upload.ts";
import { expireUploads } from "../../../src/service/uploads/expire-uploads.ts";
import { uploadStream } from "../../../src/service/uploads/upload-stream.ts";
import { openProcesses } from "../../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };

/** limits, "Tiers"; storage, "Rows and bytes". Neither instance has a lease here, so each counts the other as stopped. */
test("an upload that another instance has aborted meanwhile reserves nothing more", async () => {
  await using processes = await openProcesses();
  const [ctx, other] = processes.ctxs;
  async function* body() {
    yield new Uint8Array(1000);
    assert.equal(await expireUploads(other), 1);
    yield new Uint8Array(UNKNOWN_SIZE_STEP_BYTES);
  }
  const uploading = uploadStream(ctx, { actor }, { name: "a.bin", type: null, sizeBytes: undefined, body: body(), publish: {} });
  await assert.rejects(uploading, { code: "UPLOAD_CLOSED" });
  assert.deepEqual(await getQuota(ctx.db, actor.quotaOwner), { usedBytes: 0, reservedBytes: 0, files: 0 });
});
