import type { TxCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import type { PublishSettings } from "../../domain/publish.ts";
import { effectiveTier, proSharesEndMs } from "../../domain/tiers.ts";
import { type ExpiryColumns, limitExpiry } from "./expiry.ts";

/** What an account may do now. */
export type OwnerRights = Pick<UserRow, "tier" | "pro_until" | "username">;

/** The columns of a share that depend on what its owner may do. */
export type HeldColumns = ExpiryColumns & Pick<ShareRow, "visibility" | "retention" | "ends_with_pro">;

/**
 * The settings of a share that is published now, held to the rights that its owner has now: its upload may have begun with more. An
 * anonymous upload, without an owner, has what it asked for.
 */
export function holdToOwner(ctx: Pick<TxCtx, "config" | "now">, publish: PublishSettings, owner: OwnerRights | undefined): HeldColumns {
  const wanted = { expires_at: publish.expiresAtMs, expiry_chosen: publish.expiryChosen ? 1 : 0 };
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
