import type { TransactionCtx } from "../../context.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { checkFolder } from "../files/folders.ts";
import type { PublishSettings } from "../shares/publish-settings.ts";
import { checkJoinable, getShipment } from "../shares/shipment.ts";

interface DestinationOptions {
  /** Whether the shipment may still be opened by an unfinished upload. */
  readonly joinsLater?: boolean;
}

/**
 * Checks the folder and the shipment of a file before it is uploaded. Throws as `checkFolder` and `getShipment` do. When the upload completes,
 * `finalizeUpload` checks them again.
 */
export async function checkDestination(
  ctx: TransactionCtx,
  actor: Actor,
  { folderId, shipment }: PublishSettings,
  { joinsLater = false }: DestinationOptions = {},
): Promise<void> {
  if (folderId) await checkFolder(ctx, folderId, ownerId(actor));
  if (typeof shipment !== "object") return;
  if (joinsLater) await checkJoinable(ctx, actor, shipment.shortId);
  else await getShipment(ctx, actor, shipment.shortId);
}
