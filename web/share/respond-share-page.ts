import { findEncoding } from "../../src/http/reading/request-headers.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { headLength } from "../../src/http/responding/respond.ts";
import { type Page, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { type PagePolicy, pageHeaders } from "../../src/http/routing/response-headers.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/text/duration.ts";
import { renderSharePage } from "./share-page.tsx";
import type { SharePageProps } from "./share-page-props.ts";

/** Responds with the page of an active share. */
export async function respondSharePage(
  c: HttpContext,
  props: SharePageProps,
  { refusal, status, headers, ...policy }: Pick<Page, "refusal" | "status" | "headers"> & PagePolicy,
): Promise<Response> {
  if (refusal === undefined && status === undefined && headers === undefined && isSameForAll(c, props))
    return await respondCached(c, props, policy);
  const html = renderSharePage(pageContext(c), props);
  return await respondPage(c, {
    refusal,
    status,
    headers,
    html,
    hasSecrets: props.access.kind === "unlocked" || isBuyers(props),
    ...policy,
  });
}

/**
 * Whether everybody with the link sees the same page, now and for some time: the page of one stored file, without a token or a choice of the
 * recipient.
 */
function isSameForAll(c: HttpContext, props: SharePageProps): boolean {
  const { files, access, wait } = props;
  const isStill = files.length === 1 && files[0]?.uploading === false && leftMs(props) > 2 * HOUR_MS;
  return (
    isStill && !isBuyers(props) && access.kind === "open" && wait === undefined && c.env.url.search === "" && c.env.person === undefined
  );
}

/** Whether the page contains data of a buyer. */
const isBuyers = ({ sale }: SharePageProps): boolean =>
  sale?.kind === "bought" || (sale?.kind === "offer" && sale.openPurchase !== undefined);

const leftMs = ({ expiresAtMs, nowMs }: SharePageProps): number => (expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs;

/** Responds with a page that may be cached from another request. */
async function respondCached(c: HttpContext, props: SharePageProps, policy: PagePolicy): Promise<Response> {
  const { ctx, pageCache } = c.env;
  const page = pageContext(c);
  const shown = { ...props, nowMs: toShownTime(props) };
  const key = JSON.stringify([page.language, shown, policy.hasFrame, policy.hasThumbnails, ...(policy.previews ?? [])]);
  const kept = pageCache.get(key, () => ({ html: renderSharePage(page, shown), headers: pageHeaders(ctx, policy) }));
  const { body, headers } = await kept.encode(findEncoding(c));
  return new Response(c.req.method === "HEAD" ? null : body, { headers: { ...kept.headers, ...headers, ...headLength(c, body) } });
}

/** Rounds the time to the accuracy with which the page shows the remaining time of the share: days or hours. */
function toShownTime(props: SharePageProps): number {
  const stepMs = leftMs(props) < 2 * DAY_MS ? MINUTE_MS : HOUR_MS;
  return Math.floor(props.nowMs / stepMs) * stepMs;
}
