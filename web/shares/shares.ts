import type { RequestContext } from "../../src/context.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/text/duration.ts";
import { callOperation } from "../../src/service/call-operation.ts";
import { operations } from "../../src/service/operations.ts";
import { parseInput } from "../../src/service/parse-input.ts";
import { recipientsContract } from "../../src/service/recipients/contract.ts";
import { findLinkedRecipients } from "../../src/service/shares/linked-recipients.ts";
import { countOwnShares, getOwnShare } from "../../src/service/shares/list-shares.ts";
import { shareListContract } from "../../src/service/shares/listing-contract.ts";
import { listThumbnails } from "../../src/service/thumbnails/list-thumbnails.ts";
import { withPerson } from "../account/with-person.ts";
import { askToForce } from "../selling/ask-to-force.ts";
import { readNotify } from "../site/read-notify.ts";
import { renderClosePage } from "./close-page.tsx";
import { renderDownloadsPage } from "./downloads-page.tsx";
import { closePath, downloadsPath, ENDED_SHARES_PATH, SHARES_PATH } from "./paths.ts";
import { type OwnShare, toShareName } from "./share-row.ts";
import { renderSharedAgainPage } from "./shared-again-page.tsx";
import { MAX_TAB_COUNT, renderSharesPage, SHARE_LISTS } from "./shares-page.tsx";

const ROWS = 50;

/** The numbers of days to which buttons extend a share. */
const EXTENSIONS = [1, 7, 30] as const;

export const showSharesPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const query = new URLSearchParams(c.env.url.search);
    const list = toList(query.get("state"));
    const search = (query.get("q") ?? "").slice(0, 200);
    // A cursor of another form, which no link has, is ignored.
    const cursor = shareListContract.listShares.input.shape.cursor.safeParse(query.get("cursor") ?? undefined).data;
    const { data: shares, nextCursor } = await operations.listShares(ctx, call, { state: list, search, cursor, limit: ROWS });
    const shortIds = shares.map(({ shortId }) => shortId);
    const thumbnails = await listThumbnails(ctx, shortIds);
    const done = query.get("done");
    const html = renderSharesPage(pageContext(c), {
      list,
      search,
      shares,
      thumbnails,
      recipients: await findLinkedRecipients(ctx.db, shortIds),
      extensions: new Map(shares.map((share) => [share.shortId, listExtensions(c, call, share)])),
      nowMs: ctx.now(),
      nextCursor,
      isLaterPage: cursor !== undefined,
      counts: search === "" ? await countOwnShares(ctx, call, MAX_TAB_COUNT + 1) : undefined,
      done: done === "extended" || done === "closed" || done === "removed" ? done : undefined,
    });
    return await respondPage(c, { html, hasThumbnails: thumbnails.size > 0 });
  });

/** Handles `POST /shares/extend`. */
export const postExtension = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const days = EXTENSIONS.find((days) => String(days) === form.get("days")) ?? EXTENSIONS[0];
    await operations.updateShareSettings(c.env.ctx, call, { shortId: form.get("shortId") ?? "", extendTtl: `${days}d` });
    return redirect(c, 303, `${SHARES_PATH}?state=${toList(form.get("list"))}&done=extended`);
  });

/** Handles `GET /shares/:shortId/close`: asks for confirmation. */
export const showCloseSharePage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const share = await getOwnShare(c.env.ctx, call, c.req.param("shortId") ?? "");
    const page = pageContext(c);
    const { shortId, otherLinks } = share;
    const recipients = (await findLinkedRecipients(c.env.ctx.db, [shortId])).get(shortId);
    return await respondPage(c, { html: renderClosePage(page, { shortId, name: toShareName(share, page.texts), otherLinks, recipients }) });
  });

/** Handles `POST /shares/:shortId/close`: closes the share. */
export const postCloseShare = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const shortId = c.req.param("shortId") ?? "";
    return await respondToRefusals(
      async () => {
        await operations.closeShare(c.env.ctx, call, { shortId, force: form.has("force") });
        return redirect(c, 303, `${SHARES_PATH}?done=closed`);
      },
      { HAS_BUYERS: (refusal) => askToForce(c, refusal, { path: closePath(shortId), fields: form, back: SHARES_PATH }) },
    );
  });

/** Handles `POST /shares/:shortId/share-again`: shows the new link of the files of an ended share. */
export const postShareAgain = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const form = await readPageForm(c, call);
    const shared = await callOperation(ctx, call, {
      name: "shareAgain",
      fields: { shortId: c.req.param("shortId") ?? "" },
      idempotencyKey: form.get("key") ?? undefined,
      count: () => undefined,
    });
    const page = pageContext(c);
    const name = toShareName(await getOwnShare(ctx, call, shared.shortId), page.texts);
    return await respondPage(c, { html: renderSharedAgainPage(page, { name, ...shared }), hasSecrets: true });
  });

/** Handles `POST /shares/:shortId/remove-from-list`. */
export const postRemoveFromList = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    await readPageForm(c, call);
    await operations.removeFromList(c.env.ctx, call, { shortId: c.req.param("shortId") ?? "" });
    return redirect(c, 303, `${ENDED_SHARES_PATH}&done=removed`);
  });

export const showDownloadsPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const share = await getOwnShare(ctx, call, c.req.param("shortId") ?? "");
    const cursor = /^\d{1,15}$/.exec(c.req.query("cursor") ?? "")?.[0];
    const { data, nextCursor } = await operations.listShareDownloads(ctx, call, { shortId: share.shortId, cursor, limit: ROWS });
    const { obstacle, recipients } = await operations.listRecipients(ctx, call, { shortId: share.shortId });
    const done = c.req.query("done");
    const html = renderDownloadsPage(pageContext(c), {
      share,
      downloads: data,
      recipients,
      canSend: obstacle === null,
      nextCursor,
      nowMs: ctx.now(),
      done: done === "notify" || done === "sent" ? done : undefined,
    });
    return await respondPage(c, { html });
  });

/** Handles `POST /shares/:shortId/downloads`: sends the share by mail again, or saves which notices the owner gets about it. */
export const postShareDownloads = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const shortId = c.req.param("shortId") ?? "";
    const sendTo = form.get("sendTo");
    if (sendTo === null) await operations.updateShareSettings(c.env.ctx, call, { shortId, notify: readNotify(form) });
    else await operations.sendShare(c.env.ctx, call, parseInput(recipientsContract.sendShare.input, { shortId, recipients: [sendTo] }));
    return redirect(c, 303, `${downloadsPath(shortId)}?done=${sendTo === null ? "notify" : "sent"}`);
  });

const toList = (name: string | null) => SHARE_LISTS.find((list) => list === name) ?? "active";

/** Lists the numbers of days to which a share can be extended: within its tier's limit, and beyond its current expiry. */
function listExtensions(c: HttpContext, { actor }: RequestContext, { state, expiresAt }: OwnShare): readonly number[] {
  if (state !== "active" || expiresAt === null) return [];
  const { ctx } = c.env;
  const { retentionMs } = ctx.config.tiers[actor.tier];
  const leftMs = Date.parse(expiresAt) - ctx.now();
  return EXTENSIONS.filter((days) => days * DAY_MS <= retentionMs && days * DAY_MS > leftMs + HOUR_MS);
}
