import { copyObject } from "../blobs/s3-copy.ts";
import { createPresigner } from "../blobs/s3-presign.ts";
import { objectSize } from "../blobs/s3-read.ts";
import { type Finding, fail, ok } from "./finding.ts";
import { reasonOf } from "./reasons.ts";
import { attempt, type S3Subject } from "./s3-subject.ts";

const CONTENT = "What filehost doctor tries a store with.";
const DISPOSITION = 'attachment; filename="doctor.txt"';

/** Writes, reads, copies and removes one small object, as files are. */
export async function* tryObjects(subject: S3Subject): AsyncGenerator<Finding> {
  const { bucket, key, within } = subject;
  const { s3, locate } = bucket;
  const target = locate("visible", key);
  try {
    const written = await attempt("S3 write", "an object can be written", subject, async () => {
      await s3.putObject({ ...target, Body: CONTENT }, within());
    });
    yield written;
    if (written.status === "fail") return;
    yield await attempt("S3 ranged read", "a piece of an object can be read", subject, async () => {
      const { Body } = await s3.getObject({ ...target, Range: "bytes=5-12" }, within());
      const text = await Body?.transformToString();
      if (text !== CONTENT.slice(5, 13)) throw new Error(`bytes 5 to 12 were asked for, and ${text?.length ?? 0} others came`);
    });
    yield await tryPresignedGet(subject);
    yield await attempt("S3 copy", "an object can be copied, as the quarantine needs it", subject, async () => {
      await copyObject(bucket, { key, from: "visible", to: "quarantine", sizeBytes: CONTENT.length, maxCopyBytes: undefined });
    });
  } finally {
    const areas = ["visible", "quarantine"] as const;
    // What cannot be removed shows below.
    for (const area of areas) await s3.deleteObject(locate(area, key), { abortSignal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  }
  yield await attempt("S3 remove", "what was written is gone again", subject, async () => {
    await s3.deleteObject(target, within());
    if ((await objectSize(bucket, "visible", key)) !== undefined) throw new Error(`${target.Key} is still there after it was removed`);
  });
}

/** With the plainest client, as a browser follows the address of a download. */
async function tryPresignedGet({ bucket, key, options, within }: S3Subject): Promise<Finding> {
  const what = "S3 presigned GET";
  const mend =
    "Downloads are redirected to such addresses. See that the store's clock and FILEHOST_S3_REGION are right, and that no proxy before it changes\n" +
    "host, path or query; or have downloads pass through this server: FILEHOST_S3_DOWNLOADS=proxy";
  try {
    const presign = await createPresigner(bucket);
    const url = await presign(key, { contentType: "text/plain", contentDisposition: DISPOSITION });
    const response = await fetch(url, { signal: within().abortSignal });
    const text = await response.text();
    if (!response.ok) return fail(what, `refused with status ${response.status}`, mend);
    if (text !== CONTENT) return fail(what, "gives other bytes than were written", mend);
    if (response.headers.get("content-disposition") !== DISPOSITION)
      return fail(
        what,
        "the store does not send the name that the address asks for, so browsers would show files on its own site",
        "Set FILEHOST_S3_DOWNLOADS=proxy",
      );
    return ok(
      what,
      options.downloads === "redirect" ? "downloads by redirect work" : "works; downloads pass through this server (FILEHOST_S3_DOWNLOADS)",
    );
  } catch (error) {
    return fail(what, reasonOf(error), mend);
  }
}
