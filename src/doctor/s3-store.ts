import { randomBytes } from "node:crypto";
import { openS3Bucket } from "../blobs/s3/bucket.ts";
import type { LoadedConfig } from "../config/load.ts";
import { reachOf } from "./addresses.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";
import { checkBucketRules } from "./s3-bucket-rules.ts";
import { type S3CheckContext, toS3Failure } from "./s3-check.ts";
import { checkObjects } from "./s3-objects.ts";
import { checkParts } from "./s3-parts.ts";

const REQUEST_TIMEOUT_MS = 10_000;
/** Maximum difference of clocks, above which S3 rejects signatures. */
const REJECTED_SKEW_SECONDS = 15 * 60;
/** Difference of clocks that counts as risky, because presigned download URLs are valid for a minute. */
const RISKY_SKEW_SECONDS = 30;

interface StoreResponse {
  readonly origin: string;
  readonly responseMs: number;
  /** Number of seconds by which this machine's clock is ahead of the store's, within about a second; undefined if the store sends no `Date`. */
  readonly aheadSeconds: number | undefined;
}

/** Checks that the S3 store supports every request that filehost makes; no results for a disk store. Removes its test objects. */
export const s3Store: Check = {
  what: "S3",
  timeoutMs: 120_000,
  async *run({ config }: LoadedConfig, signal) {
    const { storage, listen, siteUrl, allowedOrigins } = config;
    if (storage.kind !== "s3") return;
    await using bucket = await openS3Bucket(storage);
    const context: S3CheckContext = {
      options: storage,
      bucket,
      key: randomBytes(16).toString("hex"),
      origin: new URL(siteUrl ?? `http://localhost:${listen.port}`).origin,
      otherOrigins: allowedOrigins,
      within: () => ({ abortSignal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]) }),
    };
    const response = await requestStore(context);
    if ("result" in response) {
      yield response.result;
      return;
    }
    yield ok("S3 store", `${response.origin} responds in ${response.responseMs.toFixed(0)} ms`);
    yield* checkClock(response);
    const listed = await checkBucket(context);
    yield listed;
    if (listed.status === "fail") return;
    yield* checkObjects(context);
    const usesPresignedParts = yield* checkParts(context);
    if (usesPresignedParts || storage.downloads === "redirect") yield* checkBrowserAccess(response.origin, context);
    yield* checkBucketRules(context);
  },
};

/** Sends an unsigned request to the host of the store's presigned URLs. */
async function requestStore({ bucket, options, key }: S3CheckContext): Promise<StoreResponse | { readonly result: CheckResult }> {
  let origin: string;
  try {
    const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
    origin = new URL(await getSignedUrl(bucket.s3, new bucket.sdk.GetObjectCommand(bucket.locate("visible", key)))).origin;
  } catch (error) {
    return { result: toS3Failure("S3 credentials", error, options) };
  }
  try {
    const startMs = Date.now();
    const headResponse = await fetch(origin, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const endMs = Date.now();
    const storeMs = Date.parse(headResponse.headers.get("date") ?? "");
    // A Date header is rounded down to the second.
    const aheadSeconds = Number.isNaN(storeMs) ? undefined : Math.round(((startMs + endMs) / 2 - storeMs - 500) / 1000);
    return { origin, responseMs: endMs - startMs, aheadSeconds };
  } catch (error) {
    return {
      result: fail(
        "S3 store",
        "s3Unreachable",
        `${origin} does not respond: ${explainError(error)}`,
        "Check that FILEHOST_S3_ENDPOINT is the store's URL with http:// or https:// and its port, that the store runs, and that the firewall\n" +
          "allows this machine. For a certificate of your own authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem",
      ),
    };
  }
}

/** Checks how far the clocks differ. */
function* checkClock({ aheadSeconds }: StoreResponse): Generator<CheckResult> {
  if (aheadSeconds === undefined) return yield ok("S3 clock", "the store does not send its time");
  const skewSeconds = Math.abs(aheadSeconds);
  const detail =
    skewSeconds <= 1
      ? "this machine's clock matches the store's"
      : `this machine's clock is ${describeSeconds(skewSeconds)} ${aheadSeconds > 0 ? "ahead of" : "behind"} the store's`;
  const fix = "Check the clock with timedatectl, and synchronize it with timedatectl set-ntp true (or apt-get install chrony).";
  if (skewSeconds >= REJECTED_SKEW_SECONDS)
    yield fail("S3 clock", "s3Clock", `${detail}: stores reject signatures that are more than 15 minutes off`, fix);
  else if (skewSeconds >= RISKY_SKEW_SECONDS)
    yield warn("S3 clock", "s3Clock", `${detail}: download URLs are valid for only one minute`, fix);
  else yield ok("S3 clock", detail);
}

const describeSeconds = (seconds: number): string => (seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`);

/** Warns if browsers cannot reach the store to which downloads and parts are sent: it must be as public as the site. */
function* checkBrowserAccess(origin: string, { origin: site }: S3CheckContext): Generator<CheckResult> {
  const [store, page] = [new URL(origin), new URL(site)];
  const fix =
    "Set FILEHOST_S3_ENDPOINT to the store's public https URL, or send bytes through the server: FILEHOST_S3_DOWNLOADS=proxy\n" +
    "and FILEHOST_S3_UPLOADS=proxy.";
  const reach = reachOf(store.hostname);
  if (NARROWNESS[reach] > NARROWNESS[reachOf(page.hostname)])
    yield warn(
      "S3 address",
      "s3Address",
      `browsers are redirected to ${origin}, which is reachable only from ${reach}, unlike ${site}`,
      fix,
    );
  else if (page.protocol === "https:" && store.protocol === "http:")
    yield warn("S3 address", "s3Address", `browsers are redirected to ${origin}, which has no TLS: they block it in pages of ${site}`, fix);
}

const NARROWNESS = { everywhere: 0, "this network": 1, "this machine": 2 } as const;

/** Checks the bucket with a list, because the response to a HEAD has no body with an error code. */
async function checkBucket({ bucket, options, within }: S3CheckContext): Promise<CheckResult> {
  try {
    await bucket.s3.listObjectsV2({ Bucket: bucket.name, Prefix: bucket.folderOf("visible"), MaxKeys: 1 }, within());
    return ok("S3 bucket", `${bucket.name} exists, and the access key works`);
  } catch (error) {
    return toS3Failure("S3 bucket", error, options);
  }
}
