import { ASSETS_PATH } from "../../web/assets.ts";
import type { Ctx } from "../context.ts";

/** What every answer carries: nothing here is for search engines, and no browser guesses types. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "X-Robots-Tag": "noindex, nofollow",
};

/** Readable by any page, never with its visitor's credentials (decisions, "Addresses"). */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "ETag, Content-Range, Content-Length, Content-Disposition, Accept-Ranges, Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Claim-Token, X-Deletion-Token, X-Unlock-Code, X-Handoff-Url, X-Filehost-Warning, X-Request-Id, Repr-Digest",
};

export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Idempotency-Key, X-Service-Api-Key, Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, Last-Event-ID",
  "Access-Control-Max-Age": "86400",
};

export interface PagePolicy {
  /** Whether the page has a frame, which can only show what this site serves. */
  readonly framed?: boolean;
}

/**
 * For pages: their own style and script, forms to this site, downloads from where the bytes are; nothing else.
 *
 * Scripts come from the assets' path alone, so that user bytes, which this site serves too, can never be a page's script. A source with a path
 * must name a host, and this site may be open under another name than its configured one. Hence two policies, which both have to allow a
 * request: the first names the path on any host, the second this site alone.
 */
export function pageHeaders(ctx: Pick<Ctx, "addresses" | "blobs">, { framed = false }: PagePolicy = {}): Record<string, string> {
  const content = new URL(ctx.addresses.contentUrl).origin;
  // Browsers hold every redirect of a form against it; and this site may be open under another name than its configured one.
  const formAction = ["'self'", content, ...(ctx.blobs.readOrigins ?? [])].join(" ");
  const data = `connect-src ${["'self'", ...(ctx.blobs.writeOrigins ?? [])].join(" ")}; img-src 'self' data:`;
  const frame = framed ? " frame-src 'self';" : "";
  return {
    ...COMMON_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": `default-src 'none'; style-src 'self'; script-src *:*${ASSETS_PATH}; ${data};${frame} form-action ${formAction}; base-uri 'none'; frame-ancestors 'none', default-src 'self'; ${data}`,
    // Not `no-referrer`: with it, browsers send this site's own forms with the origin `null`.
    "Referrer-Policy": "same-origin",
  };
}
