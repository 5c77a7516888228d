import { DAY_MS } from "../../lib/text/duration.ts";

/** Time for which Pro's limits still apply after Pro has ended (accounts, "The end of Pro"). */
export const PRO_GRACE_MS = DAY_MS;

/** Returns the tier whose limits apply now: Pro until the end of its grace period. */
export function effectiveTier(user: { tier: "free" | "pro"; pro_until: number | null }, nowMs: number): "free" | "pro" {
  if (user.tier !== "pro") return "free";
  return user.pro_until === null || nowMs < user.pro_until + PRO_GRACE_MS ? "pro" : "free";
}

/**
 * Returns the latest time at which an account's shares expire after Pro has ended; undefined while Pro is active, and for an account that never had
 * Pro.
 */
export function proSharesEndMs({ pro_until }: { pro_until: number | null }, nowMs: number): number | undefined {
  return pro_until !== null && pro_until <= nowMs ? pro_until + PRO_GRACE_MS : undefined;
}
