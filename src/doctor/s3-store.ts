import { randomBytes } from "node:crypto";
import { openS3Bucket } from "../blobs/s3-bucket.ts";
import { type Check, type Finding, ok, type Subject, warn } from "./finding.ts";
import { reachOf } from "./hosts.ts";
import { lookAtClock, reach } from "./s3-clock.ts";
import { toS3Fault } from "./s3-faults.ts";
import { tryObjects } from "./s3-objects.ts";
import { tryParts } from "./s3-parts.ts";
import { lookAtRules } from "./s3-rules.ts";
import type { S3Subject } from "./s3-subject.ts";

const CALL_MS = 10_000;

/** Whether the S3 store takes what this program does with one; nothing for a store on disk. What is tried is removed again. */
export const s3Store: Check = {
  what: "S3",
  limitMs: 120_000,
  async *look({ config }: Subject, signal) {
    const { storage, listen, siteUrl, allowedOrigins } = config;
    if (storage.kind !== "s3") return;
    await using bucket = await openS3Bucket(storage);
    const subject: S3Subject = {
      options: storage,
      bucket,
      key: randomBytes(16).toString("hex"),
      origin: new URL(siteUrl ?? `http://localhost:${listen.port}`).origin,
      otherOrigins: allowedOrigins,
      within: () => ({ abortSignal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]) }),
    };
    const reached = await reach(subject);
    if ("finding" in reached) {
      yield reached.finding;
      return;
    }
    yield ok("S3 store", `${reached.origin} answers in ${reached.answerMs.toFixed(0)} ms`);
    yield* lookAtClock(reached);
    const listed = await tryToList(subject);
    yield listed;
    if (listed.status === "fail") return;
    yield* tryObjects(subject);
    const isDirect = yield* tryParts(subject);
    if (isDirect || storage.downloads === "redirect") yield* lookAtReach(reached.origin, subject);
    yield* lookAtRules(subject);
  },
};

/** Whether those who follow an address of the store can get there: it is to be as public as the site. */
function* lookAtReach(origin: string, { origin: site }: S3Subject): Generator<Finding> {
  const [store, page] = [new URL(origin), new URL(site)];
  const mend =
    "Have FILEHOST_S3_ENDPOINT be the store's public https address; or have bytes pass through this server: FILEHOST_S3_DOWNLOADS=proxy\n" +
    "and FILEHOST_S3_UPLOADS=proxy.";
  const reach = reachOf(store.hostname);
  if (NARROWNESS[reach] > NARROWNESS[reachOf(page.hostname)])
    yield warn("S3 address", `browsers are sent to ${origin} for bytes, which is reached from ${reach} alone, unlike ${site}`, mend);
  else if (page.protocol === "https:" && store.protocol === "http:")
    yield warn("S3 address", `browsers are sent to ${origin} for bytes, which is without TLS: they refuse that from ${site}`, mend);
}

const NARROWNESS = { everywhere: 0, "this network": 1, "this machine": 2 } as const;

/** By a list rather than a HEAD, since an answer without a body does not say what is wrong. */
async function tryToList({ bucket, options, within }: S3Subject): Promise<Finding> {
  try {
    await bucket.s3.listObjectsV2({ Bucket: bucket.name, Prefix: bucket.folderOf("visible"), MaxKeys: 1 }, within());
    return ok("S3 bucket", `${bucket.name} is there, and the key is known`);
  } catch (error) {
    return toS3Fault("S3 bucket", error, options);
  }
}
