import { copyObject } from "../blobs/s3/copy.ts";
import { createReadPresigner } from "../blobs/s3/presign.ts";
import { findObjectSize } from "../blobs/s3/read.ts";
import { type CheckResult, fail, ok } from "./check-result.ts";
import { explainError } from "./error-messages.ts";
import { runS3Check, type S3CheckContext } from "./s3-check.ts";

const CONTENT = "A test object of filehost doctor, safe to delete.";
const DISPOSITION = 'attachment; filename="doctor.txt"';

/** Checks that an object can be written, read by range and by presigned URL, copied and removed. */
export async function* checkObjects(context: S3CheckContext): AsyncGenerator<CheckResult> {
  const { bucket, key, within } = context;
  const { s3, locate } = bucket;
  const target = locate("visible", key);
  try {
    const written = await runS3Check("S3 write", "an object can be written", context, async () => {
      await s3.putObject({ ...target, Body: CONTENT }, within());
    });
    yield written;
    if (written.status === "fail") return;
    yield await runS3Check("S3 ranged read", "a range of an object can be read", context, async () => {
      const { Body } = await s3.getObject({ ...target, Range: "bytes=5-12" }, within());
      const text = await Body?.transformToString();
      if (text !== CONTENT.slice(5, 13)) throw new Error(`bytes 5 to 12 were requested, but ${text?.length ?? 0} other bytes came`);
    });
    yield await checkPresignedGet(context);
    yield await runS3Check("S3 copy", "an object can be copied, as required for quarantine", context, async () => {
      await copyObject(bucket, { key, from: "visible", to: "quarantine", sizeBytes: CONTENT.length, maxCopyBytes: undefined });
    });
  } finally {
    const areas = ["visible", "quarantine"] as const;
    // The removal below reports a failure.
    for (const area of areas) await s3.deleteObject(locate(area, key), { abortSignal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  }
  yield await runS3Check("S3 remove", "test objects were removed", context, async () => {
    await s3.deleteObject(target, within());
    if ((await findObjectSize(bucket, "visible", key)) !== undefined) throw new Error(`${target.Key} still exists after it was removed`);
  });
}

/** Reads the object by a presigned URL with `fetch`, as a browser would. */
async function checkPresignedGet({ bucket, key, options, within }: S3CheckContext): Promise<CheckResult> {
  const what = "S3 presigned GET";
  const fix =
    "Downloads are redirected to presigned URLs. Check the store's clock, FILEHOST_S3_REGION, and that no proxy in front of the store changes\n" +
    "host, path or query; or send downloads through the server: FILEHOST_S3_DOWNLOADS=proxy";
  try {
    const presign = await createReadPresigner(bucket);
    const url = await presign(key, { contentType: "text/plain", contentDisposition: DISPOSITION });
    const response = await fetch(url, { signal: within().abortSignal });
    const text = await response.text();
    if (!response.ok) return fail(what, "s3Downloads", `rejected with status ${response.status}`, fix);
    if (text !== CONTENT) return fail(what, "s3Downloads", "returns other bytes than were written", fix);
    if (response.headers.get("content-disposition") !== DISPOSITION)
      return fail(
        what,
        "s3Disposition",
        "the store ignores the requested Content-Disposition, so browsers would open files on the store's site",
        "Set FILEHOST_S3_DOWNLOADS=proxy",
      );
    return ok(
      what,
      options.downloads === "redirect"
        ? "downloads by redirect work"
        : "works; downloads pass through the server (FILEHOST_S3_DOWNLOADS=proxy)",
    );
  } catch (error) {
    return fail(what, "s3Downloads", explainError(error), fix);
  }
}
