import { renderSharePage } from "../../web/share-page.tsx";
import type { SharePageProps } from "../../web/share-view.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/duration.ts";
import type { HttpContext } from "./env.ts";
import { pageContext, searchOf } from "./page-context.ts";
import { findEncoding } from "./request-headers.ts";
import { headLength } from "./respond.ts";
import { type Page, respondPage } from "./respond-page.ts";
import { type PagePolicy, pageHeaders } from "./security.ts";

/** Responds with the page of an active share. */
export async function respondSharePage(
  c: HttpContext,
  props: SharePageProps,
  { status, headers, ...policy }: Pick<Page, "status" | "headers"> & PagePolicy,
): Promise<Response> {
  if (status === undefined && headers === undefined && isSameForAll(c, props)) return await respondKept(c, props, policy);
  const html = renderSharePage(pageContext(c), props);
  return await respondPage(c, { status, headers, html, hasSecrets: props.access.kind === "unlocked", ...policy });
}

/** Whether this is what everybody with the link sees: the page of one file, without a token, a choice of the recipient's, or a name in its header. */
const isSameForAll = (c: HttpContext, { files, access, wait }: SharePageProps): boolean =>
  files.length === 1 && access.kind === "open" && wait === undefined && searchOf(c.req.url) === "" && c.env.person === undefined;

/** Responds with a page that may have been rendered for another request. */
async function respondKept(c: HttpContext, props: SharePageProps, policy: PagePolicy): Promise<Response> {
  const { ctx, keptPages } = c.env;
  const page = pageContext(c);
  const shown = { ...props, nowMs: toShownTime(props) };
  const key = JSON.stringify([page.language, shown, policy.framed, policy.hasThumbnails, ...(policy.previews ?? [])]);
  const kept = keptPages.get(key, () => ({ html: renderSharePage(page, shown), headers: pageHeaders(ctx, policy) }));
  const { body, headers } = await kept.encode(findEncoding(c));
  return new Response(c.req.method === "HEAD" ? null : body, { headers: { ...kept.headers, ...headers, ...headLength(c, body) } });
}

/** The time, as exactly as the page says how long the share lasts: it says seconds and minutes only shortly before the end. */
function toShownTime({ expiresAtMs, nowMs }: SharePageProps): number {
  const leftMs = (expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs;
  const stepMs = leftMs < 2 * HOUR_MS ? SECOND_MS : leftMs < 2 * DAY_MS ? MINUTE_MS : HOUR_MS;
  return Math.floor(nowMs / stepMs) * stepMs;
}
