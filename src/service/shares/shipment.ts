import type { TransactionCtx } from "../../context.ts";
import { MAX_SHIPMENT_FILES } from "../../contract/scalars.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { findPendingSettings } from "./pending-settings.ts";
import type { JoinedShipment } from "./publish-settings.ts";
import { type FoundShare, findShareOrShipment } from "./queries.ts";
import { isOpenToOwner, isShareOpen } from "./share-state.ts";

/**
 * Gets the shipment that `files` files join. Throws as `getOpenShipment` does, and QUOTA_EXCEEDED (`SHIPMENT_QUOTA`) if it would have too many files.
 */
export async function getShipment(ctx: TransactionCtx, actor: Actor, joined: JoinedShipment, files = 1): Promise<FoundShare> {
  const share = await getOpenShipment(ctx, actor, joined);
  const { count } = await ctx.db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("short_id", "=", share.short_id)
    .executeTakeFirstOrThrow();
  if (count + files <= MAX_SHIPMENT_FILES) return share;
  throw new AppError("QUOTA_EXCEEDED", `A shipment has at most ${MAX_SHIPMENT_FILES} files. Open another one for the rest.`, {
    fields: { limitKind: "SHIPMENT_QUOTA", limitBytes: null },
  });
}

/**
 * Gets a shipment that files may join, even if it is full. Throws NOT_FOUND if it is unknown, or neither owned by the caller nor named with a token;
 * WRONG_TOKEN; UPLOAD_INCOMPLETE while its first file is uploading; SHARE_EXPIRED (model, "File and share"; sharing, "Shipments").
 */
export async function getOpenShipment(ctx: TransactionCtx, actor: Actor, joined: JoinedShipment): Promise<FoundShare> {
  if (await isBeingOpened(ctx, actor, joined.shortId)) {
    const message = "The first file of this shipment is still uploading. Complete its upload, then this one.";
    throw new AppError("UPLOAD_INCOMPLETE", message, { retryAfterSeconds: 15 });
  }
  return await getPermitted(ctx, actor, joined);
}

/** Gets the open shipment of the caller or of the token. */
async function getPermitted(ctx: TransactionCtx, actor: Actor, { shortId, token }: JoinedShipment): Promise<FoundShare> {
  const share = await findShareOrShipment(ctx.db, shortId);
  const owner = ownerId(actor);
  if (share?.kind === "shipment" && owner !== null && share.owner_id === owner) {
    if (!isOpenToOwner(ctx, share)) throw shipmentExpired();
    return share;
  }
  if (token === null) throw notFound("shipment", "Open one with openShare, and join it by its shortId.", "in your account");
  if (!share || !isShareOpen(ctx, share) || !matchesShareToken(ctx, share, token)) {
    throw new AppError("WRONG_TOKEN", "The share token does not belong to this shipment or has ended. Open a new shipment.");
  }
  return share;
}

/** Returns whether a token adds files to a share. It is valid for 24 hours and ends with a claim; the caller checks that the share is open. */
function matchesShareToken(ctx: TransactionCtx, share: FoundShare, token: string): boolean {
  return matchesHash(token, share.share_token_hash) && ctx.now() < (share.share_token_expires_at ?? 0);
}

/** Gets the shipment that a file joined when its upload started. Throws SHARE_EXPIRED if it has ended. */
export async function getJoinedShipment(ctx: TransactionCtx, shortId: string): Promise<FoundShare> {
  const share = await findShareOrShipment(ctx.db, shortId);
  if (!share || !isOpenToOwner(ctx, share)) throw shipmentExpired();
  return share;
}

/**
 * Gets the shipment of an upload session that starts; undefined while its first file is uploading, so that the file joins it when the upload
 * completes. Otherwise throws as `getShipment` does.
 */
export async function findJoinable(ctx: TransactionCtx, actor: Actor, joined: JoinedShipment): Promise<FoundShare | undefined> {
  return (await isBeingOpened(ctx, actor, joined.shortId)) ? undefined : await getShipment(ctx, actor, joined);
}

/** Returns whether a short ID belongs to an unfinished upload of the caller that will open a shipment. */
async function isBeingOpened(ctx: TransactionCtx, actor: Actor, shortId: string): Promise<boolean> {
  const owner = ownerId(actor);
  if (owner === null) return false;
  const file = await ctx.db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select("files.id")
    .where("files.short_id", "=", shortId)
    .where("shares.kind", "=", "file")
    .where("files.owner_id", "=", owner)
    .where("files.blob_state", "=", "uploading")
    .where("files.status", "=", "active")
    .executeTakeFirst();
  return file !== undefined && (await findPendingSettings(ctx, file.id))?.publish.openShare === true;
}

const shipmentExpired = (): AppError => new AppError("SHARE_EXPIRED", "This shipment has expired. Open a new one.");
