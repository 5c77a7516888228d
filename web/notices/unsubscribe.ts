import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage, withErrorPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { readUnsubscribeToken, unsubscribe } from "../../src/service/notices/unsubscribe.ts";
import { renderLinkResult } from "../account/link-result-page.tsx";
import { NOTICE_SETTINGS_PATH } from "../settings/paths.ts";
import { renderUnsubscribePage } from "./unsubscribe-page.tsx";

/** Handles `GET /unsubscribe/:token`. It changes nothing, because programs open links of mails automatically. */
export async function showUnsubscribePage(c: HttpContext): Promise<Response> {
  const token = c.req.param("token") ?? "";
  if (readUnsubscribeToken(c.env.ctx, token) === undefined) return await respondResult(c, false);
  const html = renderUnsubscribePage(pageContext(c), { path: `/unsubscribe/${encodeURIComponent(token)}` });
  return await respondPage(c, { html, hasSecrets: true });
}

/**
 * Handles `POST /unsubscribe/:token`, the page's form or the one-click request of a mail provider (RFC 8058). The token alone is required, not a
 * session or an origin.
 */
export const postUnsubscribe = (c: HttpContext): Promise<Response> =>
  withErrorPage(c, async () => {
    const userId = readUnsubscribeToken(c.env.ctx, c.req.param("token") ?? "");
    if (userId !== undefined) await unsubscribe(c.env.ctx, userId);
    return await respondResult(c, userId !== undefined);
  });

async function respondResult(c: HttpContext, isDone: boolean): Promise<Response> {
  const page = pageContext(c);
  const texts = page.texts.notices;
  const html = renderLinkResult(page, {
    isDone,
    title: isDone ? texts.unsubscribed : page.texts.accountLinks.linkEnded,
    text: isDone ? texts.unsubscribedText : texts.invalidLink,
    next: { path: NOTICE_SETTINGS_PATH, text: texts.toSettings },
  });
  return await respondPage(c, { html, status: isDone ? 200 : 404 });
}
