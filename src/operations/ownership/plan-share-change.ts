import type { Input } from "../../contract/index.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import type { UserActor } from "../../domain/actor.ts";
import { checkVisibility, resolveExpiry } from "../../domain/publish.ts";
import type { TierLimits } from "../../domain/tiers.ts";
import { AppError } from "../../errors.ts";

export interface ShareChangeRequest {
  readonly input: Input<"updateShareSettings">;
  readonly share: ShareRow;
  readonly actor: UserActor;
  readonly limits: TierLimits;
  readonly nowMs: number;
}

/** Columns of a share as they are to be. */
export type ShareChange = Partial<
  Pick<ShareRow, "visibility" | "direct" | "retention" | "expires_at" | "expiry_chosen" | "handoff_message" | "price_cents">
>;

/**
 * What a change of settings comes to, checked against the tier and the share as it is. Throws PRO_REQUIRED, USERNAME_REQUIRED,
 * EXPIRY_TOO_LONG, SELLER_NOT_READY or VALIDATION_FAILED.
 */
export function planShareChange(request: ShareChangeRequest): ShareChange {
  const { input, share, actor } = request;
  if (input.visibility) checkVisibility(input.visibility, actor);
  if (input.direct && actor.tier !== "pro")
    throw new AppError("PRO_REQUIRED", "Only Pro accounts can share with direct download. Leave direct out.");
  if (input.priceCents)
    throw new AppError("SELLER_NOT_READY", "This server does not sell files. Leave priceCents out, or send 0 to clear a price.");
  return {
    ...(input.visibility && { visibility: input.visibility }),
    ...(typeof input.direct === "boolean" && { direct: input.direct ? 1 : 0 }),
    ...(input.handoffMessage !== undefined && { handoff_message: input.handoffMessage }),
    ...((input.priceCents === 0 || input.priceCents === null) && { price_cents: null }),
    ...planRetention(request, input.visibility ?? share.visibility),
  };
}

/** `forever` needs Pro and public, and falls back to the tier's rule when either ends. */
function planRetention(request: ShareChangeRequest, visibility: ShareRow["visibility"]): ShareChange {
  const { input, share, actor } = request;
  const retention = input.retention ?? (visibility === "public" ? share.retention : "ttl");
  if (input.retention === "forever") {
    if (actor.tier !== "pro") throw new AppError("PRO_REQUIRED", "Only Pro accounts can keep a share forever. Choose an expiry instead.");
    if (visibility !== "public") throw invalid("retention", "Only a public share can be kept forever. Set visibility to public as well.");
    if (input.expiresAt || input.extendTtl)
      throw invalid("retention", "A share that is kept forever has no expiry. Leave out expiresAt and extendTtl.");
    return { retention: "forever", expires_at: null, expiry_chosen: 0 };
  }
  const expiry = planExpiry(request);
  const fellBack = share.retention === "forever" && retention === "ttl";
  if (!expiry && !fellBack) return input.retention ? { retention } : {};
  return { retention: "ttl", ...(expiry ?? toColumns(resolveExpiry({}, request))) };
}

function planExpiry({ input, share, ...rules }: ShareChangeRequest): ShareChange | undefined {
  if (input.expiresAt && input.extendTtl) throw invalid("extendTtl", "Send either expiresAt or extendTtl, not both.");
  // Any moment to come will do: whoever shares may end it soon (interface, "Limits").
  if (input.expiresAt) return toColumns(resolveExpiry({ expiresAt: input.expiresAt }, { ...rules, minTtlMs: 0 }));
  if (!input.extendTtl) return undefined;
  const extended = toColumns(resolveExpiry({ ttl: input.extendTtl }, { ...rules, ttlField: "extendTtl" }));
  // It stays anyhow: nothing is longer than that.
  if (share.expires_at === null) return undefined;
  return { ...extended, expires_at: Math.max(extended.expires_at ?? 0, share.expires_at) };
}

const toColumns = (expiry: { expiresAtMs: number | null; expiryChosen: boolean }): Pick<ShareRow, "expires_at" | "expiry_chosen"> => ({
  expires_at: expiry.expiresAtMs,
  expiry_chosen: expiry.expiryChosen ? 1 : 0,
});

const invalid = (field: string, message: string): AppError =>
  new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: field, message }] } });
