import type { TxCtx } from "../../context.ts";
import { findShare } from "../../db/shares.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import { isOpen } from "./is-open.ts";
import { findPlan } from "./planned-share.ts";

/** How many files a shipment takes. */
const MAX_SHIPMENT_FILES = 10_000;

/**
 * The shipment that an upload may join. Throws NOT_FOUND where it is unknown or not the caller's, UPLOAD_INCOMPLETE where the file that
 * opens it is still on its way, SHARE_EXPIRED where it is over, QUOTA_EXCEEDED (`SHIPMENT_QUOTA`) where it is full (decisions, "Model").
 */
export async function getShipment(ctx: TxCtx, actor: Actor, shortId: string): Promise<ShareRow> {
  if (await isBeingOpened(ctx, actor, shortId)) {
    const message = "The file that opens this shipment is still on its way. Complete its upload, then this one.";
    throw new AppError("UPLOAD_INCOMPLETE", message, { headers: { "Retry-After": "15" } });
  }
  const share = await findShare(ctx.db, shortId);
  if (share?.kind !== "shipment" || share.owner_id === null || share.owner_id !== ownerId(actor)) {
    throw new AppError("NOT_FOUND", "There is no such shipment in your account. Open one with openShare, and join it by its shortId.");
  }
  if (!isOpen(ctx, share))
    throw new AppError("SHARE_EXPIRED", "This shipment has expired and takes no more files. Open a new one with openShare.");
  const { count } = await ctx.db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("short_id", "=", shortId)
    .executeTakeFirstOrThrow();
  if (count < MAX_SHIPMENT_FILES) return share;
  throw new AppError("QUOTA_EXCEEDED", `A shipment takes ${MAX_SHIPMENT_FILES} files. Open another one for the rest.`, {
    fields: { limitKind: "SHIPMENT_QUOTA", limitBytes: null },
  });
}

/** Throws as `getShipment` does, but not where the shipment is being opened: an upload in parts takes its time, and joins it at its end. */
export async function checkJoinable(ctx: TxCtx, actor: Actor, shortId: string): Promise<void> {
  if (!(await isBeingOpened(ctx, actor, shortId))) await getShipment(ctx, actor, shortId);
}

/** Whether this is the caller's upload under way whose completion will open a shipment. */
async function isBeingOpened(ctx: TxCtx, actor: Actor, shortId: string): Promise<boolean> {
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
  return file !== undefined && (await findPlan(ctx, file.id))?.publish.openShare === true;
}
