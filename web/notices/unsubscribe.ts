import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage, withErrorPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { readUnsubscribeToken, unsubscribe } from "../../src/service/notices/unsubscribe.ts";
import { renderLinkResult } from "../account/link-result-page.tsx";
import { NOTICE_SETTINGS_PATH } from "../settings/paths.ts";
import { renderUnsubscribePage } from "./unsubscribe-page.tsx";

/** `GET /unsubscribe/:token`. Changes nothing: programs open links of mails on their own. */
export async function showUnsubscribePage(c: HttpContext): Promise<Response> {
  const token = c.req.param("token") ?? "";
  if (readUnsubscribeToken(c.env.ctx, token) === undefined) return await respondResult(c, false);
  const html = renderUnsubscribePage(pageContext(c), { path: `/unsubscribe/${encodeURIComponent(token)}` });
  return await respondPage(c, { html, hasSecrets: true });
}

/**
 * `POST /unsubscribe/:token`, by that page's form or with one click by the server of a mail provider (RFC 8058). The token alone decides: who
 * is signed in, and from which site the request comes, does not matter.
 */
export const unsubscribeByLink = (c: HttpContext): Promise<Response> =>
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
