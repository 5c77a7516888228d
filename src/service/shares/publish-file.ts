import type { TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import type { Actor } from "../accounts/actor.ts";
import { type ProtectionCredentials, protectShare } from "./credentials.ts";
import { limitToOwner, type OwnerRights } from "./expiry.ts";
import type { PublishSettings } from "./publish-settings.ts";
import { getShipment } from "./shipment.ts";

const SHIPMENT_NAME = "Shipment";

/** A file whose upload has finished. */
export interface PublishFileInput {
  readonly id: string;
  /** The share created with its upload. */
  readonly short_id: string;
  readonly name: string;
  /** Whether that share's link was given to the caller, and must redirect to the shipment. */
  readonly keepsLink: boolean;
  /** Undefined for an anonymous upload. */
  readonly owner: OwnerRights | undefined;
}

export interface PublishedFile {
  readonly share: ShareRow;
  /** New credentials, which the response shows once; empty if none were created. */
  readonly credentials: Partial<ProtectionCredentials>;
}

/** Publishes a file in its own share, in a new shipment, or in the shipment that it joins. Throws as `getShipment` does. */
export async function publishFile(
  ctx: TransactionCtx,
  actor: Actor,
  file: PublishFileInput,
  publish: PublishSettings,
): Promise<PublishedFile> {
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
      direct: publish.direct ? 1 : 0,
      ...limitToOwner(ctx, publish, file.owner),
      once: publish.once ? 1 : 0,
      max_downloads: publish.maxDownloads,
      handoff_message: publish.handoffMessage,
      created_at: ctx.now(),
    })
    .where("short_id", "=", file.short_id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { share, credentials };
}

async function joinShipment(ctx: TransactionCtx, actor: Actor, file: PublishFileInput, shortId: string): Promise<ShareRow> {
  const shipment = await getShipment(ctx, actor, shortId);
  await ctx.db.updateTable("files").set({ short_id: shortId }).where("id", "=", file.id).execute();
  if (file.keepsLink) await ctx.db.updateTable("shares").set({ redirect_to: shortId }).where("short_id", "=", file.short_id).execute();
  else await ctx.db.deleteFrom("shares").where("short_id", "=", file.short_id).execute();
  return shipment;
}
