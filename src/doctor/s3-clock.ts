import { type Finding, fail, ok, warn } from "./finding.ts";
import { reasonOf } from "./reasons.ts";
import { toS3Fault } from "./s3-faults.ts";
import type { S3Subject } from "./s3-subject.ts";

export interface Reached {
  readonly origin: string;
  readonly answerMs: number;
  /** How far this machine's clock is ahead of the store's, to a second or so; undefined where the store does not tell the time. */
  readonly aheadSeconds: number | undefined;
}

/** S3 refuses what was signed longer ago, or later than now. */
const REFUSED_SECONDS = 15 * 60;
/** Addresses of downloads are valid for a minute. */
const RISKY_SECONDS = 30;

/** Calls the store where its addresses lead, without signing anything. */
export async function reach({ bucket, options, key }: S3Subject): Promise<Reached | { readonly finding: Finding }> {
  let origin: string;
  try {
    const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
    origin = new URL(await getSignedUrl(bucket.s3, new bucket.sdk.GetObjectCommand(bucket.locate("visible", key)))).origin;
  } catch (error) {
    return { finding: toS3Fault("S3 credentials", error, options) };
  }
  try {
    const beginMs = Date.now();
    const response = await fetch(origin, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(10_000) });
    const endMs = Date.now();
    const theirMs = Date.parse(response.headers.get("date") ?? "");
    // A Date header names the second that has begun.
    const aheadSeconds = Number.isNaN(theirMs) ? undefined : Math.round(((beginMs + endMs) / 2 - theirMs - 500) / 1000);
    return { origin, answerMs: endMs - beginMs, aheadSeconds };
  } catch (error) {
    return {
      finding: fail(
        "S3 store",
        `${origin} does not answer: ${reasonOf(error)}`,
        "See that FILEHOST_S3_ENDPOINT names the store's address with http:// or https:// and its port, that the store runs, and that the firewall\n" +
          "lets this machine through. For a certificate of your own authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem",
      ),
    };
  }
}

export function* lookAtClock({ aheadSeconds }: Reached): Generator<Finding> {
  if (aheadSeconds === undefined) return yield ok("S3 clock", "the store does not tell its time");
  const apart = Math.abs(aheadSeconds);
  const detail =
    apart <= 1
      ? "this machine's clock and the store's agree"
      : `this machine's clock is ${describe(apart)} ${aheadSeconds > 0 ? "ahead of" : "behind"} the store's`;
  const mend =
    "timedatectl shows whether the network sets this machine's clock; timedatectl set-ntp true has it do so (or apt-get install chrony).";
  if (apart >= REFUSED_SECONDS) yield fail("S3 clock", `${detail}: a store refuses what is signed more than 15 minutes off`, mend);
  else if (apart >= RISKY_SECONDS) yield warn("S3 clock", `${detail}: addresses of downloads are valid for a minute alone`, mend);
  else yield ok("S3 clock", detail);
}

const describe = (seconds: number): string => (seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`);
