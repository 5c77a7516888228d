import { type Finding, fail, ok } from "./finding.ts";
import { reasonOf } from "./reasons.ts";
import { aws } from "./s3-faults.ts";
import type { S3Subject } from "./s3-subject.ts";

/**
 * Whether a page of the site may send a part to its address: asks as a browser does, before (a preflight) and with it.
 * `isNeeded`: whether parts go straight to the store, so that a no is a failure.
 */
export async function lookAtCors(
  { url, body, isNeeded }: { readonly url: string; readonly body: Uint8Array<ArrayBuffer>; readonly isNeeded: boolean },
  { origin, otherOrigins, options, within }: S3Subject,
): Promise<Finding> {
  const what = "S3 CORS";
  try {
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: { Origin: origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type" },
      signal: within().abortSignal,
    });
    await preflight.text();
    const part = await fetch(url, { method: "PUT", body, headers: { Origin: origin }, signal: within().abortSignal });
    await part.text();
    const refusal = findRefusal(preflight, part, origin);
    if (refusal === undefined) return ok(what, `pages of ${origin} may send parts, and see their ETag`);
    if (!isNeeded) return ok(what, `not needed: parts pass through this server (${refusal})`);
    return fail(what, `browsers at ${origin} cannot send parts to the store: ${refusal}`, toMend(options, [origin, ...otherOrigins]));
  } catch (error) {
    return fail(what, reasonOf(error), "Run this again; where it stays so, see the store's own log.");
  }
}

function findRefusal(preflight: Response, part: Response, origin: string): string | undefined {
  const { headers } = preflight;
  if (!preflight.ok) return `it answers the preflight with status ${preflight.status}`;
  if (!lists(headers, "access-control-allow-origin", origin)) return "its answer to the preflight does not allow that origin";
  if (!lists(headers, "access-control-allow-methods", "PUT")) return "its answer to the preflight does not allow PUT";
  if (!lists(headers, "access-control-allow-headers", "content-type")) return "its answer to the preflight does not allow Content-Type";
  if (!part.ok) return `it refuses a part with an Origin with status ${part.status}`;
  if (!lists(part.headers, "access-control-allow-origin", origin)) return "its answer to a part does not allow that origin";
  if (!lists(part.headers, "access-control-expose-headers", "etag")) return "it does not expose the ETag";
  return undefined;
}

function lists(headers: Headers, name: string, wanted: string): boolean {
  const items = (headers.get(name) ?? "").split(",").map((item) => item.trim().toLowerCase());
  return items.includes("*") || items.includes(wanted.toLowerCase());
}

function toMend(options: S3Subject["options"], origins: readonly string[]): string {
  const rules = {
    CORSRules: [
      {
        AllowedOrigins: origins,
        AllowedMethods: ["GET", "HEAD", "PUT"],
        AllowedHeaders: ["content-type", "range"],
        ExposeHeaders: ["ETag", "Content-Range", "Content-Length"],
        MaxAgeSeconds: 3600,
      },
    ],
  };
  return [
    "Give the bucket this rule:",
    aws(options, `s3api put-bucket-cors --bucket ${options.bucket} --cors-configuration '${JSON.stringify(rules)}'`),
    "Where the store has no such rules, have parts pass through this server: FILEHOST_S3_UPLOADS=proxy",
  ].join("\n");
}
