import { readAlias } from "../../src/contract/alias-form.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { isOpenedByPerson } from "../../src/http/reading/request-headers.ts";
import { redirect } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { findShareOfLink } from "../../src/service/shares/queries.ts";
import { isDirectEffective, isVisibleTo } from "../../src/service/shares/share-state.ts";
import { isHandoffToken } from "../../src/service/shares/unlock.ts";
import { readPaid } from "../selling/buyer.ts";
import { showEndedPurchase } from "../selling/share-sale.ts";
import { showClosedShare } from "./closed-share.ts";
import { OPEN_ACCESS, readListQuery, readShareView, toAccess, toUnlockedAccess } from "./share-request.ts";
import { showOpenShare } from "./show-open-share.ts";

// The pages work without scripts: all actions are forms, and no GET request changes anything.

/** Handles `GET /d/:shortId`: shows the share, or redirects to the file of a direct share. */
export async function showSharePage(c: HttpContext): Promise<Response> {
  const { ctx } = c.env;
  const shortId = await findShortId(c);
  if (shortId !== undefined) return redirect(c, 302, `/d/${shortId}${c.env.url.search}`);
  const view = await readShareView(c);
  if (view.kind !== "open") return (await showEndedPurchase(c, view)) ?? (await showClosedShare(c, view));
  const { share, files } = view;
  const [file] = files;
  if (file?.scan_status === "clean" && (await isDirectEffective(ctx, share)) && isOpenedByPerson(c)) {
    const { url } = await operations.authorizeDownload(ctx, await identifyCaller(c, "direct"), { fileId: file.id });
    return redirect(c, 302, url);
  }
  const handoffToken = c.req.query("handoff") ?? "";
  const isHandedOff = handoffToken !== "" && (await isHandoffToken(ctx, share, handoffToken));
  const handoff = toUnlockedAccess(view, "handoffToken", handoffToken);
  const isBought = (await readPaid(c, share, [])).length > 0;
  const options = {
    access: isBought ? OPEN_ACCESS : isHandedOff ? handoff : toAccess(view),
    handoffMessage: isHandedOff ? share.handoff_message : null,
    waitToken: c.req.query("ready"),
    fileId: c.req.query("file"),
    request: readListQuery(c),
  };
  return await showOpenShare(c, view, options);
}

/**
 * Finds the short ID of a link with an alias, unless the share is hidden from the caller: the cookies of purchases and the device's own shares belong
 * to one path (sharing, "Aliases").
 */
async function findShortId(c: HttpContext): Promise<string | undefined> {
  const id = c.req.param("shortId") ?? "";
  const share = readAlias(id) === undefined ? undefined : await findShareOfLink(c.env.ctx.db, id);
  const isShown = share !== undefined && share.status !== "deleted" && isVisibleTo(share, c.env.person?.actor.userId ?? null);
  return isShown ? share.short_id : undefined;
}

/** Handles `GET` of a form's URL, such as a reload of its response: redirects to the share. */
export const redirectToShare = (c: HttpContext, status: 302 | 303 = 302): Response =>
  redirect(c, status, `/d/${encodeURIComponent(c.req.param("shortId") ?? "")}`);
