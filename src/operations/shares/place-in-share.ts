import type { TxCtx } from "../../context.ts";
import type { ShareRow } from "../../db/schema.ts";
import { findShare } from "../../db/shares.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import type { PublishSettings } from "../../domain/publish.ts";
import { AppError } from "../../errors.ts";
import { protectShare } from "../ownership/protect-share.ts";
import type { ProtectionCredentials } from "../protection/credentials.ts";
import { isOpen } from "./is-open.ts";
import { findPlan } from "./planned-share.ts";

/** How many files a shipment takes. */
const MAX_SHIPMENT_FILES = 10_000;
const SHIPMENT_NAME = "Shipment";

export interface PlacedFile {
  readonly id: string;
  /** The share that was made for it when its upload began. */
  readonly short_id: string;
  readonly name: string;
  /** Whether that share's link has been handed out, and must lead on to the shipment. */
  readonly keepsLink: boolean;
}

export interface Placed {
  readonly share: ShareRow;
  /** Told once, where this made them. */
  readonly credentials: Partial<ProtectionCredentials>;
}

/** Publishes a finished file in its own share, in a new shipment, or in the one that it joins. Throws as `getShipment` does. */
export async function placeInShare(ctx: TxCtx, actor: Actor, file: PlacedFile, publish: PublishSettings): Promise<Placed> {
  if (typeof publish.shipment === "object") {
    return { share: await joinShipment(ctx, actor, file, publish.shipment.shortId), credentials: {} };
  }
  const isShipment = publish.shipment === "open";
  const credentials = publish.protect === null ? {} : await protectShare(ctx, file.short_id, publish.protect);
  const share = await ctx.db
    .updateTable("shares")
    .set({
      kind: isShipment ? "shipment" : "file",
      name: isShipment ? SHIPMENT_NAME : file.name,
      visibility: publish.visibility,
      direct: publish.direct ? 1 : 0,
      retention: publish.retention,
      expires_at: publish.expiresAtMs,
      expiry_chosen: publish.expiryChosen ? 1 : 0,
      once: publish.once ? 1 : 0,
      max_downloads: publish.once ? 1 : publish.maxDownloads,
      handoff_message: publish.handoffMessage,
      created_at: ctx.now(),
    })
    .where("short_id", "=", file.short_id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { share, credentials };
}

async function joinShipment(ctx: TxCtx, actor: Actor, file: PlacedFile, shortId: string): Promise<ShareRow> {
  const shipment = await getShipment(ctx, actor, shortId);
  await ctx.db.updateTable("files").set({ short_id: shortId }).where("id", "=", file.id).execute();
  if (file.keepsLink) await ctx.db.updateTable("shares").set({ redirect_to: shortId }).where("short_id", "=", file.short_id).execute();
  else await ctx.db.deleteFrom("shares").where("short_id", "=", file.short_id).execute();
  return shipment;
}

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
