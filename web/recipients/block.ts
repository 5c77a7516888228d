import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage, withErrorPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { readBlockToken, setAddressBlocked } from "../../src/service/recipients/blocked-addresses.ts";
import { renderLinkResult } from "../account/link-result-page.tsx";
import { renderBlockedPage, renderBlockingPage } from "./block-page.tsx";

/** Handles `GET /block/:token`. It changes nothing, because programs open links of mails automatically. */
export async function showBlockingPage(c: HttpContext): Promise<Response> {
  const link = readLink(c);
  if (!link) return await respondInvalid(c);
  return await respondPage(c, { html: renderBlockingPage(pageContext(c), link), hasSecrets: true });
}

/**
 * Handles `POST /block/:token`, the page's form or the one-click request of a mail provider (RFC 8058). The token alone is required, not a session or
 * an origin.
 */
export const postBlocking = (c: HttpContext): Promise<Response> =>
  withErrorPage(c, async () => {
    const link = readLink(c);
    if (!link) return await respondInvalid(c);
    const isBlocked = c.env.url.searchParams.get("allow") === null;
    await setAddressBlocked(c.env.ctx, link.address, isBlocked);
    return await respondPage(c, { html: renderBlockedPage(pageContext(c), { ...link, isBlocked }), hasSecrets: true });
  });

function readLink(c: HttpContext): { readonly address: string; readonly path: string } | undefined {
  const token = c.req.param("token") ?? "";
  const address = readBlockToken(c.env.ctx, token);
  return address === undefined ? undefined : { address, path: `/block/${encodeURIComponent(token)}` };
}

async function respondInvalid(c: HttpContext): Promise<Response> {
  const page = pageContext(c);
  const texts = page.texts.blocking;
  const next = { path: "/", text: texts.home };
  const html = renderLinkResult(page, { isDone: false, title: texts.invalid, text: texts.invalidText, next });
  return await respondPage(c, { html, status: 404 });
}
