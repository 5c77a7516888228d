import type { TransactionCtx } from "../../context.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { checkFolder } from "../files/folders.ts";
import type { PublishSettings } from "../shares/publish-settings.ts";
import type { FoundShare } from "../shares/queries.ts";
import { findJoinable, getShipment } from "../shares/shipment.ts";

interface DestinationOptions {
  /** Whether an unfinished upload may open the shipment later. */
  readonly joinsLater?: boolean;
}

/**
 * Checks the folder and the shipment of a file before its upload. Resolves to the shipment; undefined if the file joins none, or joins it only when
 * its upload completes. Throws as `checkFolder` and `getShipment` do. `finalizeUpload` checks again.
 */
export async function checkDestination(
  ctx: TransactionCtx,
  actor: Actor,
  { folderId, shipment }: PublishSettings,
  { joinsLater = false }: DestinationOptions = {},
): Promise<FoundShare | undefined> {
  if (folderId) await checkFolder(ctx, folderId, ownerId(actor));
  if (typeof shipment !== "object") return undefined;
  return await (joinsLater ? findJoinable(ctx, actor, shipment) : getShipment(ctx, actor, shipment));
}
