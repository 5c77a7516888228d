import type { TxCtx } from "../../context.ts";
import { ownerTierQuery } from "../../db/owner-tier.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { proSharesEndMs } from "../../domain/tiers.ts";

/** The expiry of a share as it is kept: `expires_at` is when it expires. */
export type ExpiryColumns = Pick<ShareRow, "expires_at" | "expiry_chosen" | "chosen_expires_at">;

type Wanted = Pick<ShareRow, "expires_at" | "expiry_chosen">;

/** An expiry that is no later than `latestMs`; one that was chosen and is cut short is remembered. Undefined: any is fine. */
export function limitExpiry(wanted: Wanted, latestMs: number | undefined): ExpiryColumns {
  const isCut = latestMs !== undefined && (wanted.expires_at === null || wanted.expires_at > latestMs);
  if (!isCut) return { ...wanted, chosen_expires_at: null };
  return { ...wanted, expires_at: latestMs, chosen_expires_at: wanted.expiry_chosen === 1 ? wanted.expires_at : null };
}

/** A share with the expiry that it has while its owner is Pro, whether or not Pro has ended since. */
export function unlimited<Share extends ShareRow>(share: Share): Share {
  if (share.ends_with_pro === 0) return share;
  return { ...share, expires_at: share.expiry_chosen === 1 ? (share.chosen_expires_at ?? share.expires_at) : null };
}

/** When a share expires at the latest, since the Pro of its owner has ended; undefined where nothing says so. */
export async function latestExpiryMs(
  ctx: Pick<TxCtx, "db" | "now">,
  { owner_id, ends_with_pro }: Pick<ShareRow, "owner_id" | "ends_with_pro">,
): Promise<number | undefined> {
  if (owner_id === null || ends_with_pro === 0) return undefined;
  const owner = await ownerTierQuery.first(ctx.db, { userId: owner_id });
  return owner && proSharesEndMs(owner, ctx.now());
}
