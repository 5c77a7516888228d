import { createHash, randomBytes } from "node:crypto";
import { createPartPresigner } from "../blobs/s3-presign.ts";
import { probeUploads } from "../blobs/s3-probe.ts";
import { decideUploads } from "../blobs/s3-uploads.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { reasonOf } from "./reasons.ts";
import { lookAtCors } from "./s3-cors.ts";
import { toS3Fault } from "./s3-faults.ts";
import { attempt, type S3Subject } from "./s3-subject.ts";

const VALID_SECONDS = 60;

/** Begins an upload, sends a part of it as a browser would, finds it in the list, and aborts it. Returns whether parts go straight to the store. */
export async function* tryParts(subject: S3Subject): AsyncGenerator<Finding, boolean> {
  const { bucket, key, within, options } = subject;
  const { s3, locate } = bucket;
  const target = locate("visible", key);
  let uploadId: string | undefined;
  let isDirect = false;
  try {
    const begun = await attempt("S3 multipart", "", subject, async () => {
      uploadId = (await s3.createMultipartUpload(target, within())).UploadId;
      if (!uploadId) throw new Error("the store gave no upload id");
    });
    if (uploadId === undefined) {
      yield begun;
      return false;
    }
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
    const digests = await tryDigests(subject);
    yield digests.finding;
    isDirect = digests.isDirect;
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
  return isDirect;
}

async function tryPresignedPut(url: string, body: Uint8Array<ArrayBuffer>, { options, within }: S3Subject): Promise<Finding> {
  const what = "S3 presigned PUT";
  const toFinding = (detail: string): Finding => {
    if (options.uploads === "proxy") return ok(what, `${detail}; not needed, since FILEHOST_S3_UPLOADS is proxy`);
    const mend =
      "Parts can pass through this server: FILEHOST_S3_UPLOADS=proxy. Else see the store's clock, and what a proxy before it changes.";
    return (options.uploads === "direct" ? fail : warn)(what, detail, mend);
  };
  try {
    const response = await fetch(url, { method: "PUT", body, signal: within().abortSignal });
    await response.text();
    if (!response.ok) return toFinding(`refused with status ${response.status}`);
    if (!response.headers.get("etag")) return toFinding("answered without an ETag");
    return ok(what, "the store takes a part from anybody who has its address");
  } catch (error) {
    return toFinding(reasonOf(error));
  }
}

/** What the store does with parts that are not what their address was made for, and whether parts go straight to it therefore. */
async function tryDigests({ bucket, options }: S3Subject): Promise<{ readonly isDirect: boolean; readonly finding: Finding }> {
  const what = "S3 uploads";
  try {
    const { isDirect, isAsWished, text } = decideUploads(options.uploads, await probeUploads(bucket));
    const finding = isAsWished
      ? ok(what, text)
      : warn(what, text, "With FILEHOST_S3_UPLOADS=auto, they pass through this server, which checks them on their way.");
    return { isDirect, finding };
  } catch (error) {
    return { isDirect: false, finding: toS3Fault(what, error, options) };
  }
}
