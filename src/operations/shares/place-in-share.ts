import type { TxCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import type { Actor } from "../../domain/actor.ts";
import type { PublishSettings } from "../../domain/publish.ts";
import { protectShare } from "../ownership/protect-share.ts";
import type { ProtectionCredentials } from "../protection/credentials.ts";
import { holdToOwner, type OwnerRights } from "./hold-to-owner.ts";
import { getShipment } from "./shipment.ts";

const SHIPMENT_NAME = "Shipment";

export interface PlacedFile {
  readonly id: string;
  /** The share that was made for it when its upload began. */
  readonly short_id: string;
  readonly name: string;
  /** Whether that share's link has been handed out, and must lead on to the shipment. */
  readonly keepsLink: boolean;
  /** Undefined for an anonymous upload. */
  readonly owner: OwnerRights | undefined;
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
      direct: publish.direct ? 1 : 0,
      ...holdToOwner(ctx, publish, file.owner),
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
