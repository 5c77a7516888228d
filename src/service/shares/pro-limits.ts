import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { effectiveTier, proSharesEndMs } from "../accounts/pro-end.ts";
import { ownerTierQuery } from "../accounts/queries.ts";
import type { PublishSettings } from "./publish-settings.ts";
import { limitExpiryToPro, listSharesPastPro } from "./queries.ts";

/** The columns of a share's expiry. `expires_at` is the current expiry. */
export type ExpiryColumns = Pick<ShareRow, "expires_at" | "is_expiry_chosen" | "expires_at_before_cut">;

type WantedExpiry = Pick<ShareRow, "expires_at" | "is_expiry_chosen">;

/** The columns that decide what an account may publish. */
export type OwnerRights = Pick<UserRow, "tier" | "pro_until" | "username">;

/** The columns of a share that its owner's rights limit. */
export type OwnerLimitedColumns = ExpiryColumns & Pick<ShareRow, "visibility" | "retention" | "ends_with_pro">;

/** Limits an expiry to `latestMs`, if that is set. A chosen expiry that is shortened is stored in `expires_at_before_cut`. */
export function limitExpiry(wanted: WantedExpiry, latestMs: number | undefined): ExpiryColumns {
  const isCut = latestMs !== undefined && (wanted.expires_at === null || wanted.expires_at > latestMs);
  if (!isCut) return { ...wanted, expires_at_before_cut: null };
  return { ...wanted, expires_at: latestMs, expires_at_before_cut: wanted.is_expiry_chosen === 1 ? wanted.expires_at : null };
}

/** Returns the share with the expiry that it would have if its owner still had Pro. */
export function withProExpiry<Share extends ShareRow>(share: Share): Share {
  if (share.ends_with_pro === 0) return share;
  return { ...share, expires_at: share.is_expiry_chosen === 1 ? (share.expires_at_before_cut ?? share.expires_at) : null };
}

/** Returns the latest expiry of a share whose owner's Pro has ended; undefined if there is no such limit. */
export async function findLatestExpiryMs(
  ctx: Pick<Ctx, "db" | "now">,
  { owner_id, ends_with_pro }: Pick<ShareRow, "owner_id" | "ends_with_pro">,
): Promise<number | undefined> {
  if (owner_id === null || ends_with_pro === 0) return undefined;
  const owner = await ownerTierQuery.first(ctx.db, { userId: owner_id });
  return owner && proSharesEndMs(owner, ctx.now());
}

/**
 * Limits the settings of a share that is being published to its owner's current rights, which may have changed since its upload started. An
 * anonymous upload, without an owner, is not limited.
 */
export function limitToOwner(
  ctx: Pick<Ctx, "config" | "now">,
  publish: PublishSettings,
  owner: OwnerRights | undefined,
): OwnerLimitedColumns {
  const wanted = { expires_at: publish.expiresAtMs, is_expiry_chosen: publish.expiryChosen ? 1 : 0 };
  const { visibility, retention } = publish;
  if (!owner) return { visibility, retention, ...limitExpiry(wanted, undefined), ends_with_pro: 0 };
  const nowMs = ctx.now();
  const isPro = effectiveTier(owner, nowMs) === "pro";
  const expiry = limitExpiry(wanted, isPro ? proSharesEndMs(owner, nowMs) : nowMs + ctx.config.tiers.free.retentionMs);
  const isPublic = visibility === "public" && owner.username !== null;
  return {
    visibility: isPublic ? "public" : "unlisted",
    retention: isPublic && expiry.expires_at === null ? retention : "ttl",
    ...expiry,
    ends_with_pro: isPro ? 1 : 0,
  };
}

const BATCH_SIZE = 500;

/**
 * Limits the expiry of shares whose owner's Pro has ended, of one account or of all, to 24 hours after that end. Works in short batches and is safe
 * to run again. Resolves to the number of changed shares.
 */
export async function limitSharesPastPro(ctx: Ctx, ownerId?: string): Promise<number> {
  for (let changed = 0; ; ) {
    // Lists the shares in the transaction that changes them, because Pro may just have been renewed.
    const count = await ctx.transaction(async (ctx) => {
      const shares = await listSharesPastPro(ctx.db, ctx.now(), BATCH_SIZE, ownerId);
      if (shares.length > 0)
        await limitExpiryToPro(
          ctx.db,
          shares.map(({ short_id }) => short_id),
        );
      return shares.length;
    });
    changed += count;
    if (count < BATCH_SIZE) return changed;
  }
}
