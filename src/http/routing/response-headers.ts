import { ASSETS_PATH } from "../../../web/site/assets.ts";
import { SERVICE_WORKER_PATH } from "../../../web/site/installed-site.ts";
import type { Ctx } from "../../context.ts";
import type { PreviewElement } from "../../contract/preview-element.ts";
import { PREVIEW_PATH } from "../../service/downloads/preview-url.ts";
import { THUMBNAIL_PATH } from "../../service/files/thumbnail-url.ts";

/** Headers of every response: no indexing, no type sniffing. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "X-Robots-Tag": "noindex, nofollow",
};

/** Headers that allow any page to read responses, but never with the browser's credentials (addresses, "Other sites"). */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "ETag, Content-Range, Content-Length, Content-Disposition, Accept-Ranges, Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Claim-Token, X-Deletion-Token, X-Unlock-Code, X-Handoff-Url, X-Filehost-Warning, X-Request-Id, Repr-Digest, Mcp-Session-Id, WWW-Authenticate",
};

export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Idempotency-Key, X-Service-Api-Key, Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name",
  "Access-Control-Max-Age": "86400",
};

const NO_PREVIEWS: ReadonlySet<PreviewElement> = new Set();

export interface PagePolicy {
  /** Whether the page contains a frame, which is always of this site. */
  readonly hasFrame?: boolean;
  /** Whether the page shows thumbnails. */
  readonly hasThumbnails?: boolean;
  /** The other origins to which a form of the page leads. */
  readonly formTargets?: readonly string[];
  /** The elements of the previews on the page, or that a script may add to it (previews, "The policy of the page"). */
  readonly previews?: ReadonlySet<PreviewElement>;
}

/**
 * Headers of pages. The policy allows styles and scripts of this site, forms to this site, thumbnails and downloads from the content URL,
 * and downloads from the store.
 *
 * Scripts must come from the assets' path, so that no uploaded file served by this site can run as one. There are two policies, because a source
 * with a path cannot be limited to this site without its host name (docs/design/pages.md).
 */
export function pageHeaders(
  ctx: Pick<Ctx, "urls" | "blobs">,
  { hasFrame = false, hasThumbnails = false, formTargets = [], previews = NO_PREVIEWS }: PagePolicy = {},
): Record<string, string> {
  const content = new URL(ctx.urls.contentUrl).origin;
  const path = `${ctx.urls.contentUrl}${PREVIEW_PATH}`;
  const pathIf = (...elements: readonly PreviewElement[]): string[] => (elements.some((element) => previews.has(element)) ? [path] : []);
  const toDirective = (name: string, sources: readonly string[]): string => (sources.length === 0 ? "" : `; ${name} ${sources.join(" ")}`);
  // Browsers also apply `form-action` to the redirects that follow a form.
  const formAction = ["'self'", content, ...(ctx.blobs.readOrigins ?? []), ...formTargets].join(" ");
  const images = ["'self'", "data:", ...(hasThumbnails ? [`${ctx.urls.contentUrl}${THUMBNAIL_PATH}`] : []), ...pathIf("image")];
  const data = `connect-src ${["'self'", ...(ctx.blobs.writeOrigins ?? [])].join(" ")}; img-src ${images.join(" ")}`;
  const media = toDirective("media-src", pathIf("audio", "video"));
  const frames = toDirective("frame-src", [...(hasFrame ? ["'self'"] : []), ...pathIf("pdf", "document")]);
  const sources = data + media + frames;
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": `default-src 'none'; style-src 'self'; script-src *:*${ASSETS_PATH}; worker-src *:*${ASSETS_PATH} *:*${SERVICE_WORKER_PATH}; manifest-src 'self'; ${sources}; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none', default-src 'self'; ${sources}`,
    // With `no-referrer`, browsers would send this site's own forms with the origin `null`.
    "Referrer-Policy": "same-origin",
  };
}
