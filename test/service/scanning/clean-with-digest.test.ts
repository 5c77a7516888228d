import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { RequestContext } from "../../../src/context.ts";
import { startJobRunner } from "../../../src/jobs/runner.ts";
import type { AnonymousActor } from "../../../src/service/accounts/actor.ts";
import { authorizeDownload } from "../../../src/service/downloads/authorize-download.ts";
import { scanJob } from "../../../src/service/scanning/scan-job.ts";
import { getShare } from "../../../src/service/shares/get-share.ts";
import { completeMultipart } from "../../../src/service/uploads/complete-multipart.ts";
import { initMultipart } from "../../../src/service/uploads/init-multipart.ts";
import { putPart } from "../../../src/service/uploads/parts.ts";
import { openProcesses } from "../../jobs/support.ts";
import { until } from "../../support/until.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const call: RequestContext = { actor, address: "192.0.2.7", channel: "api", userAgent: "" };
const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** scanning, "The scan". */
test("a file without its digest is pending and emits no event, can be downloaded, and is ready with the digest", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  const PART = 1024 ** 2;
  const bytes = new Uint8Array(2 * PART).fill(7);
  const upload = await initMultipart(ctx, call, { fileName: "a.bin", fileSize: bytes.length, partSize: PART });
  for (const [index, part] of [bytes.subarray(0, PART), bytes.subarray(PART)].entries()) {
    const named = { sessionKey: upload.key, partNumber: index + 1, sha256: digestOf(part) };
    await putPart(ctx, { part: named, sizeBytes: part.length, body: new Blob([part]).stream() });
  }
  const result = await completeMultipart(ctx, call, { uploadId: upload.uploadId, key: upload.key });
  const read = async () => {
    const { scanStatus, sha256 } = await getShare(ctx, call, { shortId: upload.shortId });
    const events = await ctx.db.selectFrom("events").select("type").where("file_id", "=", upload.fileId).execute();
    return { scanStatus, sha256, isReady: events.some(({ type }) => type === "file.ready") };
  };
  assert.deepEqual([result.scanStatus, result.sha256], ["pending", null]);
  assert.deepEqual(await read(), { scanStatus: "pending", sha256: null, isReady: false });
  assert.ok((await authorizeDownload(ctx, call, { fileId: upload.fileId })).url);
  const runner = startJobRunner(ctx, [scanJob]);
  try {
    await until("the digest is known", async () => (await read()).sha256 !== null);
  } finally {
    await runner.drain(5000);
  }
  assert.deepEqual(await read(), { scanStatus: "clean", sha256: digestOf(bytes), isReady: true });
});
