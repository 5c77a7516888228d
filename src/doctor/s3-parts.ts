import { createHash, randomBytes } from "node:crypto";
import { decideUploads } from "../blobs/s3/capabilities.ts";
import { createPartSigner } from "../blobs/s3/presign.ts";
import { probeUploads } from "../blobs/s3/probe.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";
import { runS3Check, type S3CheckContext, toS3Failure } from "./s3-check.ts";
import { checkCors } from "./s3-cors.ts";

const CHECK_URL_TTL_SECONDS = 60;

/** Creates an upload, sends a part as a browser would, lists the upload and aborts it. Returns whether parts are sent directly to the store. */
export async function* checkParts(context: S3CheckContext): AsyncGenerator<CheckResult, boolean> {
  const { bucket, key, within, options } = context;
  const { s3, locate } = bucket;
  const target = locate("visible", key);
  let uploadId: string | undefined;
  let usesPresignedParts = false;
  try {
    const created = await runS3Check("S3 multipart", "", context, async () => {
      uploadId = (await s3.createMultipartUpload(target, within())).UploadId;
      if (!uploadId) throw new Error("the store gave no upload ID");
    });
    if (uploadId === undefined) {
      yield created;
      return false;
    }
    const body = randomBytes(1024);
    const presign = await createPartSigner(bucket);
    const url = await presign({
      target,
      uploadId,
      partNumber: 1,
      sizeBytes: body.length,
      sha256: createHash("sha256").update(body).digest("hex"),
      validSeconds: CHECK_URL_TTL_SECONDS,
    });
    yield await checkPresignedPut(url, body, context);
    const mode = await checkUploadMode(context);
    yield mode.result;
    usesPresignedParts = mode.usesPresignedParts;
    yield await checkCors({ url, body, isNeeded: usesPresignedParts }, context);
    const { Uploads = [] } = await s3.listMultipartUploads({ Bucket: bucket.name, Prefix: target.Key }, within());
    if (!Uploads.some((upload) => upload.UploadId === uploadId)) throw new Error("a new upload is missing from the store's list");
    await s3.abortMultipartUpload({ ...target, UploadId: uploadId }, within());
    yield ok("S3 multipart", "an upload can be created, listed and aborted");
    uploadId = undefined;
  } catch (error) {
    yield toS3Failure("S3 multipart", error, options);
  } finally {
    if (uploadId)
      await s3.abortMultipartUpload({ ...target, UploadId: uploadId }, { abortSignal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  }
  return usesPresignedParts;
}

async function checkPresignedPut(url: string, body: Uint8Array<ArrayBuffer>, { options, within }: S3CheckContext): Promise<CheckResult> {
  const what = "S3 presigned PUT";
  const toCheckResult = (detail: string): CheckResult => {
    if (options.uploads === "proxy") return ok(what, `${detail}; not required, because FILEHOST_S3_UPLOADS is proxy`);
    const fix =
      "Send parts through the server: FILEHOST_S3_UPLOADS=proxy. Or check the store's clock, and what a proxy in front of the store changes.";
    return (options.uploads === "direct" ? fail : warn)(what, "s3Uploads", detail, fix);
  };
  try {
    const response = await fetch(url, { method: "PUT", body, signal: within().abortSignal });
    await response.text();
    if (!response.ok) return toCheckResult(`rejected with status ${response.status}`);
    if (!response.headers.get("etag")) return toCheckResult("responded without an ETag");
    return ok(what, "the store accepts a part through a presigned URL");
  } catch (error) {
    return toCheckResult(explainError(error));
  }
}

/** Checks whether the store rejects parts with a wrong size or digest, which decides whether parts are sent to it directly. */
async function checkUploadMode({
  bucket,
  options,
}: S3CheckContext): Promise<{ readonly usesPresignedParts: boolean; readonly result: CheckResult }> {
  const what = "S3 uploads";
  try {
    const { usesPresignedParts, matchesSetting, text } = decideUploads(options.uploads, await probeUploads(bucket));
    const result = matchesSetting
      ? ok(what, text)
      : warn(what, "s3Unverified", text, "With FILEHOST_S3_UPLOADS=auto, parts pass through the server, which verifies them.");
    return { usesPresignedParts, result };
  } catch (error) {
    return { usesPresignedParts: false, result: toS3Failure(what, error, options) };
  }
}
