import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { viewHandoff } from "../../src/service/shares/view-share.ts";
import { renderMessagePage } from "../site/message-page.tsx";
import { showClosedShare } from "./closed-share.ts";
import { readListQuery, toUnlockedAccess } from "./share-request.ts";
import { showOpenShare } from "./show-open-share.ts";

/** Handles `GET /h/:token`, a handoff link: shows the share unlocked, with the sender's message. */
export async function showHandoffPage(c: HttpContext): Promise<Response> {
  const token = c.req.param("token") ?? "";
  const view = await viewHandoff(c.env.ctx, token);
  if (view.kind === "missing") return await respondPage(c, { status: 404, html: renderMessagePage(pageContext(c), { kind: "noHandoff" }) });
  if (view.kind !== "open") return await showClosedShare(c, view);
  const { share } = view;
  if (share.price_cents !== null) return leaveHandoff(c, share.short_id, token);
  const access = toUnlockedAccess(view, "handoffToken", token);
  return await showOpenShare(c, view, {
    access,
    handoffMessage: share.handoff_message,
    waitToken: c.req.query("ready"),
    fileId: c.req.query("file"),
    request: readListQuery(c),
  });
}

/** Redirects from the handoff link of a priced share to the path of the share, because only that path gets the cookies of purchases. */
function leaveHandoff(c: HttpContext, shortId: string, token: string): Response {
  const query = new URLSearchParams(c.env.url.search);
  query.set("handoff", token);
  return redirect(c, 303, `/d/${shortId}?${query}`);
}
