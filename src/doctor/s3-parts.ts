import { createHash, randomBytes } from "node:crypto";
import { createPartPresigner } from "../blobs/s3-presign.ts";
import { probeUploads } from "../blobs/s3-probe.ts";
import { decideUploads } from "../blobs/s3-uploads.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { reasonOf } from "./reasons.ts";
import { lookAtCors } from "./s3-cors.ts";
import { toS3Fault } from "./s3-faults.ts";
import { attempt } from "./s3-objects.ts";
import type { S3Subject } from "./s3-store.ts";

const VALID_SECONDS = 60;

/** Begins an upload, sends a part of it as a browser would, finds it in the list, and aborts it. */
export async function* tryParts(subject: S3Subject): AsyncGenerator<Finding> {
  const { bucket, key, within, options } = subject;
  const { s3, locate } = bucket;
  const target = locate("visible", key);
  let uploadId: string | undefined;
  try {
    const begun = await attempt("S3 multipart", "", subject, async () => {
      uploadId = (await s3.createMultipartUpload(target, within())).UploadId;
      if (!uploadId) throw new Error("the store gave no upload id");
    });
    if (uploadId === undefined) return yield begun;
    const body = randomBytes(1024);
    const presign = await createPartPresigner(bucket);
    const url = await presign({
      target,
      uploadId,
      partNumber: 1,
      sizeBytes: body.length,
      sha256: createHash("sha256").update(body).digest("hex"),
      validSeconds: VALID_SECONDS,
    });
    yield await tryPresignedPut(url, body, subject);
    const { isDirect, finding } = await tryDigests(subject);
    yield finding;
    yield await lookAtCors({ url, body, isNeeded: isDirect }, subject);
    const { Uploads = [] } = await s3.listMultipartUploads({ Bucket: bucket.name, Prefix: target.Key }, within());
    if (!Uploads.some((upload) => upload.UploadId === uploadId)) throw new Error("an upload that was begun is not in the store's list");
    await s3.abortMultipartUpload({ ...target, UploadId: uploadId }, within());
    yield ok("S3 multipart", "an upload can be begun, listed and aborted");
    uploadId = undefined;
  } catch (error) {
    yield toS3Fault("S3 multipart", error, options);
  } finally {
    if (uploadId)
      await s3.abortMultipartUpload({ ...target, UploadId: uploadId }, { abortSignal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  }
}

async function tryPresignedPut(url: string, body: Uint8Array<ArrayBuffer>, { within }: S3Subject): Promise<Finding> {
  const what = "S3 presigned PUT";
  const mend =
    "Parts can pass through this server instead: FILEHOST_S3_UPLOADS=proxy. Else see the store's clock, and what a proxy before it changes.";
  try {
    const response = await fetch(url, { method: "PUT", body, signal: within().abortSignal });
    await response.text();
    if (!response.ok) return fail(what, `refused with status ${response.status}`, mend);
    if (!response.headers.get("etag")) return fail(what, "answered without an ETag", mend);
    return ok(what, "the store takes a part from anybody who has its address");
  } catch (error) {
    return fail(what, reasonOf(error), mend);
  }
}

/** What the store does with parts that are not what their address was made for, and which way uploads take therefore. */
async function tryDigests({ bucket, options }: S3Subject): Promise<{ readonly isDirect: boolean; readonly finding: Finding }> {
  const what = "S3 digests";
  try {
    const { isDirect, isAsWished, text } = decideUploads(options.uploads, await probeUploads(bucket));
    const finding = isAsWished
      ? ok(what, text)
      : warn(what, text, "With FILEHOST_S3_UPLOADS=auto, they pass through this server, which checks them.");
    return { isDirect, finding };
  } catch (error) {
    return { isDirect: false, finding: toS3Fault(what, error, options) };
  }
}
