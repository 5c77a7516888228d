import type { TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { AppError, notFound } from "../../errors.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { findPendingSettings } from "./pending-settings.ts";
import { findShare } from "./queries.ts";
import { isShareOpen } from "./share-state.ts";

const MAX_SHIPMENT_FILES = 10_000;

/**
 * Gets the shipment that a file joins. Throws NOT_FOUND if it is unknown or not the caller's, UPLOAD_INCOMPLETE while its first file is
 * uploading, SHARE_EXPIRED, or QUOTA_EXCEEDED (`SHIPMENT_QUOTA`) if it is full (model, "File and share").
 */
export async function getShipment(ctx: TransactionCtx, actor: Actor, shortId: string): Promise<ShareRow> {
  if (await isBeingOpened(ctx, actor, shortId)) {
    const message = "The first file of this shipment is still uploading. Complete its upload, then this one.";
    throw new AppError("UPLOAD_INCOMPLETE", message, { retryAfterSeconds: 15 });
  }
  const share = await findShare(ctx.db, shortId);
  if (share?.kind !== "shipment" || share.owner_id === null || share.owner_id !== ownerId(actor)) {
    throw notFound("shipment", "Open one with openShare, and join it by its shortId.", "in your account");
  }
  if (!isShareOpen(ctx, share)) throw new AppError("SHARE_EXPIRED", "This shipment has expired. Open a new one with openShare.");
  const { count } = await ctx.db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("short_id", "=", shortId)
    .executeTakeFirstOrThrow();
  if (count < MAX_SHIPMENT_FILES) return share;
  throw new AppError("QUOTA_EXCEEDED", `A shipment has at most ${MAX_SHIPMENT_FILES} files. Open another one for the rest.`, {
    fields: { limitKind: "SHIPMENT_QUOTA", limitBytes: null },
  });
}

/** Throws as `getShipment` does, except UPLOAD_INCOMPLETE: an upload session may start now, and joins the shipment when it completes. */
export async function checkJoinable(ctx: TransactionCtx, actor: Actor, shortId: string): Promise<void> {
  if (!(await isBeingOpened(ctx, actor, shortId))) await getShipment(ctx, actor, shortId);
}

/** Whether the short ID belongs to an unfinished upload of the caller that will open a shipment. */
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
