import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { findClosingTakedown } from "../../src/service/files/takedowns.ts";
import { getOwnShare } from "../../src/service/shares/list-shares.ts";
import type { ShareView } from "../../src/service/shares/view-share.ts";
import { renderEndedPage } from "../shares/ended-page.tsx";
import { renderMessagePage } from "../site/message-page.tsx";

/** A share that cannot be opened. */
export type ClosedShare = Exclude<ShareView, { readonly kind: "open" | "moved" }>;

const STATUS_OF: Readonly<Record<ClosedShare["kind"], number>> = {
  missing: 404,
  expired: 404,
  usedUp: 404,
  blocked: 404,
  blocklisted: 404,
  notAvailable: 404,
  damaged: 404,
  takenDown: 451,
};

/** Shows the reason why a share cannot be opened, or redirects to the share to which it has moved. */
export async function showClosedShare(
  c: HttpContext,
  view: Exclude<ShareView, { readonly kind: "open" }>,
  status: 302 | 303 = 302,
): Promise<Response> {
  if (view.kind === "moved") return redirect(c, status, `/d/${view.shortId}`);
  const { kind } = view;
  const html = (await renderOwnEnded(c, view)) ?? renderMessagePage(pageContext(c), { kind, detail: await findReasonText(c, view) });
  return await respondPage(c, { status: STATUS_OF[kind], html });
}

/** Renders the page of an ended share for its owner; undefined for everybody else, and for other closed shares. */
async function renderOwnEnded(c: HttpContext, view: ClosedShare): Promise<string | undefined> {
  const { ctx, person } = c.env;
  if (!("ownShortId" in view) || view.ownShortId === null || person === undefined) return undefined;
  const share = await getOwnShare(ctx, person, view.ownShortId);
  return renderEndedPage(pageContext(c), { share, kind: view.kind });
}

/** Finds the text about the reason of a takedown; undefined if it gives none, and for other closed shares. */
async function findReasonText(c: HttpContext, view: ClosedShare): Promise<string | undefined> {
  if (view.kind !== "takenDown") return undefined;
  const reason = (await findClosingTakedown(c.env.ctx.db, view.share))?.public_reason;
  return reason ? pageContext(c).texts.messages.takedownReasons[reason] : undefined;
}

/** Responds to programs with one line about the reason why a share cannot be opened. */
export async function respondClosedText(c: HttpContext, view: ClosedShare): Promise<Response> {
  const { kind } = view;
  const { title, text: general } = pageContext(c).texts.messages.kinds[kind];
  const text = (await findReasonText(c, view)) ?? general;
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(`${title}. ${text}\n`, { status: STATUS_OF[kind], headers });
}
