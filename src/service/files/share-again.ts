import type { RequestContext, TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError } from "../../errors.ts";
import { SHIPMENT_NAME } from "../../lib/formats/archive-names.ts";
import { withLastPart } from "../../lib/text/file-name.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkReadyToSell } from "../selling/sellers.ts";
import type { PasswordHash } from "../shares/contract.ts";
import { insertShare } from "../shares/create-share.ts";
import { listFilesLeft } from "../shares/files-left.ts";
import { ownShareNotFound } from "../shares/list-shares.ts";
import { type PublishSettings, resolvePublishSettings } from "../shares/publish-settings.ts";
import { findLinkedShare } from "../shares/queries.ts";
import { unlockKind } from "../shares/share-password.ts";
import { toShareState } from "../shares/share-state.ts";
import { placeFiles, readChosenPlaces, splitPlaces } from "./place-files.ts";

/**
 * `POST /shares/{shortId}/share-again`: gives the files of an ended share that the account still has a new share with its settings (sharing, "Sharing
 * again"). The ended share stays as it is.
 */
export const shareAgain: Operation<"shareAgain"> = async (ctx, call, { shortId }) => {
  const owner = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const ended = await getEndedShare(ctx, call, shortId);
    const left = await listFilesLeft(ctx, [ended.short_id]);
    if (left.length === 0) throw new AppError("CONFLICT", "The files of this share were removed. Send them again.");
    if (ended.price_cents !== null) await checkReadyToSell(ctx, owner.userId);
    const places = await readChosenPlaces(ctx.db, [...new Set(left.map(({ placeId }) => placeId))]);
    const names = new Map(places.map(({ id, name, owner_name }) => [id, owner_name ?? name]));
    const files = new Map(left.map(({ placeId, path }) => [placeId, withLastPart(path, names.get(placeId) ?? "")]));
    const [only, second] = places;
    const kind = only && !second && ended.kind === "file" ? ({ kind: "file", name: names.get(only.id) ?? "" } as const) : SHIPMENT;
    const share = await insertShare(ctx, owner, toSettings(ctx, owner, ended), kind);
    const { price_cents, price_thumbnails } = ended;
    await ctx.db.updateTable("shares").set({ price_cents, price_thumbnails }).where("short_id", "=", share.shortId).execute();
    const chosen = { files, repeats: [] };
    await placeFiles(ctx, { owner, shortId: share.shortId, chosen, ...splitPlaces(places, { chosen }) });
    const details = { files: places.length };
    await recordAudit(ctx, call, { action: "share.created", subject: share.shortId, account: owner.userId, details });
    return share;
  });
};

/**
 * `POST /shares/{shortId}/remove-from-list`: removes an ended share from the list of ended shares. Nothing else changes (sharing, "Sharing again").
 */
export const removeFromList: Operation<"removeFromList"> = async (ctx, call, { shortId }) =>
  await commitResponse(ctx, call, async (ctx) => {
    const { short_id } = await getEndedShare(ctx, call, shortId);
    await ctx.db.updateTable("shares").set({ is_off_list: 1 }).where("short_id", "=", short_id).execute();
    return { shortId: short_id };
  });

const SHIPMENT = { kind: "shipment", name: SHIPMENT_NAME } as const;

/** Gets an ended share of the account. Throws CONFLICT for one that is open or taken down. */
async function getEndedShare(ctx: TransactionCtx, { actor }: Pick<RequestContext, "actor">, shortId: string): Promise<ShareRow> {
  const share = await findLinkedShare(ctx.db, shortId);
  if (share?.owner_id !== requireUser(actor).userId || share.status === "deleted" || share.is_private === 1) throw ownShareNotFound();
  const state = toShareState(ctx, share);
  if (state === "active") throw new AppError("CONFLICT", "This share has not ended. Use its link, or close it first.");
  if (state === "taken_down") throw new AppError("CONFLICT", "The administrator took this share down. Ask the administrator.");
  return share;
}

/** Returns the settings of an ended share for a new one, whose expiry is the default, and which has no alias. */
function toSettings(ctx: TransactionCtx, owner: UserActor, ended: ShareRow): PublishSettings {
  const kind = unlockKind(ended);
  const input = {
    visibility: ended.visibility,
    direct: ended.direct === 1 && owner.tier === "pro",
    once: ended.once === 1,
    maxDownloads: ended.max_downloads,
    protect: kind !== null,
    ...(kind === "password" && { passwordHash: ended.unlock_hash as PasswordHash }),
    handoffMessage: ended.handoff_message,
    title: ended.title,
    message: ended.message,
    notify: ended.notify === null ? null : ended.notify === 1,
  };
  return resolvePublishSettings(input, { actor: owner, limits: ctx.config.tiers[owner.tier], nowMs: ctx.now() });
}
