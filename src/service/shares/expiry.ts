import type { Tier, TierLimits } from "../../config/tiers.ts";
import { AppError, invalidField } from "../../errors.ts";
import { describeDuration, MINUTE_MS, parseTtl } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Actor } from "../accounts/actor.ts";
import type { PublishInput } from "./contract.ts";

/** The minimum lifetime of a share (expiry, "How long a share is kept"). */
const MIN_TTL_MS = 5 * MINUTE_MS;

/** The expiry of a share. */
export interface Expiry {
  /** Milliseconds since 1970; null if the share does not expire. */
  readonly expiresAtMs: number | null;
  /** Whether the caller chose the expiry. A claim does not change a chosen expiry. */
  readonly expiryChosen: boolean;
}

/** The rules for the expiry of a share. */
export interface ExpiryRules {
  readonly actor: Actor;
  readonly limits: TierLimits;
  readonly nowMs: number;
  /** An `expiresAt` that was accepted when the upload started. It stays valid however long the upload took. */
  readonly acceptedExpiresAt?: string | null;
  /** Minimum lifetime from now; default: `MIN_TTL_MS`. */
  readonly minTtlMs?: number;
  /** The latest allowed expiry; default: the tier's retention from now. */
  readonly latestMs?: number;
  /** The field that errors name; default: `ttl`. */
  readonly ttlField?: "extendTtl";
}

/**
 * Returns the expiry of a share: none, the chosen one within the tier's limits, or the tier's default. Throws EXPIRY_TOO_LONG or VALIDATION_FAILED.
 */
export function resolveExpiry(
  input: Pick<PublishInput, "retention" | "ttl" | "expiresAt">,
  { actor, limits, nowMs, acceptedExpiresAt, minTtlMs = MIN_TTL_MS, ttlField, latestMs }: ExpiryRules,
): Expiry {
  if (input.retention === "forever") return { expiresAtMs: null, expiryChosen: false };
  if (input.ttl && input.expiresAt) throw invalidField("expiresAt", "Send either ttl or expiresAt, not both.");
  const ttlMs = chosenTtlMs(input, nowMs);
  if (ttlMs === undefined) return { expiresAtMs: defaultExpiryMs(actor.tier, limits, nowMs), expiryChosen: false };
  const field = input.ttl ? (ttlField ?? "ttl") : "expiresAt";
  const wasAccepted = input.expiresAt != null && input.expiresAt === acceptedExpiresAt;
  if (ttlMs <= 0 && !wasAccepted) throw invalidField(field, "The expiry is in the past. Send a time in the future.");
  if (ttlMs < minTtlMs && !wasAccepted) throw invalidField(field, `The expiry must be at least ${describeDuration(minTtlMs)} from now.`);
  const longestMs = latestMs === undefined ? limits.retentionMs : latestMs - nowMs;
  if (ttlMs > longestMs) {
    const longest = latestMs === undefined ? `for at most ${describeDuration(longestMs)}` : `until ${toIso(latestMs)} at the latest`;
    throw new AppError("EXPIRY_TOO_LONG", `Files can be kept ${longest}. Choose a shorter time.`, {
      fields: { maxTtlSeconds: Math.floor(longestMs / 1000) },
    });
  }
  return { expiresAtMs: nowMs + ttlMs, expiryChosen: true };
}

/** Returns the lifetime of a share without a chosen expiry, in milliseconds; null for Pro, whose shares stay while Pro is active. */
export const defaultTtlMs = (tier: Tier, limits: TierLimits): number | null => (tier === "pro" ? null : limits.retentionMs);

/** Returns the expiry of a share without a chosen one; null if it does not expire. */
export function defaultExpiryMs(tier: Tier, limits: TierLimits, nowMs: number): number | null {
  const ttlMs = defaultTtlMs(tier, limits);
  return ttlMs === null ? null : nowMs + ttlMs;
}

function chosenTtlMs(input: Pick<PublishInput, "ttl" | "expiresAt">, nowMs: number): number | undefined {
  if (input.ttl) return parseTtl(input.ttl);
  return input.expiresAt ? Date.parse(input.expiresAt) - nowMs : undefined;
}

/** A share to keep forever. */
export interface ForeverShare {
  readonly actor: Actor;
  readonly visibility: "unlisted" | "public";
  /** Whether the input also chooses an expiry. */
  readonly hasExpiry: boolean;
}

/** The advice in the errors of `checkForever`. */
export interface ForeverAdvice {
  readonly withoutPro: string;
  readonly unlisted: string;
  readonly hasExpiry: string;
}

/**
 * Checks that a share may be kept forever, which requires Pro and a public share. Throws PRO_REQUIRED or VALIDATION_FAILED (expiry, "Keeping a share
 * forever").
 */
export function checkForever({ actor, visibility, hasExpiry }: ForeverShare, advice: ForeverAdvice): void {
  if (actor.tier !== "pro") throw new AppError("PRO_REQUIRED", `Keeping a share forever requires a Pro account. ${advice.withoutPro}`);
  if (visibility !== "public") throw invalidField("retention", `Only a public share can be kept forever. ${advice.unlisted}`);
  if (hasExpiry) throw invalidField("retention", `A share that is kept forever has no expiry. ${advice.hasExpiry}`);
}
