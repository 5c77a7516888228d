import type { Ctx, RequestContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { findLinkedShare } from "./queries.ts";
import { type HashPassword, type Sealed, type SealingCtx, type SentProtection, sealPassword } from "./share-password.ts";

/**
 * Turns publish fields as they are sent into those that are checked and stored: with the hash of a password, and with the short ID of the shipment to
 * join. Must not run in a transaction. Throws as `sealPassword` does.
 */
export async function readPublish<Fields extends SentProtection>(
  ctx: SealingCtx & Pick<Ctx, "db">,
  call: Pick<RequestContext, "address">,
  sent: Fields,
  hash?: HashPassword,
): Promise<Sealed<Fields>> {
  return await sealPassword(ctx, call, await nameShipment(ctx.db, sent), hash);
}

/**
 * Replaces an alias in `shareShortId`, or the ID of a share whose file has joined a shipment, by the short ID of the shipment: an upload must not join
 * another one if the alias changes meanwhile. An unknown ID stays, and names no shipment later either, because an alias is read only here.
 */
export async function nameShipment<Fields extends Pick<SentProtection, "shareShortId">>(db: Db, sent: Fields): Promise<Fields> {
  const share = sent.shareShortId ? await findLinkedShare(db, sent.shareShortId) : undefined;
  return share ? { ...sent, shareShortId: share.short_id } : sent;
}
