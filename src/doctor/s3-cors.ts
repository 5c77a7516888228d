import { type CheckResult, fail, ok } from "./check-result.ts";
import { explainError } from "./error-messages.ts";
import { type S3CheckContext, toAwsCommand } from "./s3-check.ts";

/**
 * Checks that a page of the site may send a part to a presigned URL: sends the preflight and the PUT of a browser.
 * `isNeeded`: parts are sent directly to the store, so a refusal is a failure.
 */
export async function checkCors(
  { url, body, isNeeded }: { readonly url: string; readonly body: Uint8Array<ArrayBuffer>; readonly isNeeded: boolean },
  { origin, otherOrigins, options, within }: S3CheckContext,
): Promise<CheckResult> {
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
    if (refusal === undefined) return ok(what, `pages of ${origin} can send parts and read their ETag`);
    if (!isNeeded) return ok(what, `not required: parts pass through the server (${refusal})`);
    return fail(
      what,
      "s3Cors",
      `browsers at ${origin} cannot send parts to the store: ${refusal}`,
      toCorsFix(options, [origin, ...otherOrigins]),
    );
  } catch (error) {
    return fail(what, "s3Unreachable", explainError(error), "Run this again. If it fails again, check the store's log.");
  }
}

function findRefusal(preflight: Response, part: Response, origin: string): string | undefined {
  const { headers } = preflight;
  if (!preflight.ok) return `it responds to the preflight with status ${preflight.status}`;
  if (!lists(headers, "access-control-allow-origin", origin)) return "its response to the preflight does not allow that origin";
  if (!lists(headers, "access-control-allow-methods", "PUT")) return "its response to the preflight does not allow PUT";
  if (!lists(headers, "access-control-allow-headers", "content-type")) return "its response to the preflight does not allow Content-Type";
  if (!part.ok) return `it rejects a part with an Origin header with status ${part.status}`;
  if (!lists(part.headers, "access-control-allow-origin", origin)) return "its response to a part does not allow that origin";
  if (!lists(part.headers, "access-control-expose-headers", "etag")) return "it does not expose the ETag";
  return undefined;
}

function lists(headers: Headers, name: string, wanted: string): boolean {
  const items = (headers.get(name) ?? "").split(",").map((item) => item.trim().toLowerCase());
  return items.includes("*") || items.includes(wanted.toLowerCase());
}

function toCorsFix(options: S3CheckContext["options"], origins: readonly string[]): string {
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
    toAwsCommand(options, `s3api put-bucket-cors --bucket ${options.bucket} --cors-configuration '${JSON.stringify(rules)}'`),
    "If the store has no such rules, send parts through the server: FILEHOST_S3_UPLOADS=proxy",
  ].join("\n");
}
