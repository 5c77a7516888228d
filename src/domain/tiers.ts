import { DAY_MS } from "./ttl.ts";

const MB = 1024 ** 2;
const GB = 1024 ** 3;

export type Tier = "anonymous" | "free" | "pro";

export interface TierLimits {
  /** Largest file, bytes. */
  readonly fileBytes: number;
  /** Storage included, bytes. */
  readonly storageBytes: number;
  /** What storage may grow to, bytes. */
  readonly storageMaxBytes: number;
  /** Files at once, uploads under way included. */
  readonly files: number;
  /** Longest keep time that may be chosen; also the default one, except for Pro, whose files stay while Pro is active. */
  readonly retentionMs: number;
}

/** interface, "Limits". */
export const DEFAULT_TIERS: Readonly<Record<Tier, TierLimits>> = {
  anonymous: { fileBytes: GB, storageBytes: GB, storageMaxBytes: GB, files: 20_000, retentionMs: 3 * DAY_MS },
  free: { fileBytes: 5 * GB, storageBytes: 10 * GB, storageMaxBytes: 10 * GB, files: 100_000, retentionMs: 7 * DAY_MS },
  pro: { fileBytes: 35 * GB, storageBytes: 100 * GB, storageMaxBytes: 1024 * GB, files: 1_000_000, retentionMs: 90 * DAY_MS },
};

/** What all agents that registered themselves may store together, unless an operator says otherwise. */
export const DEFAULT_BOOTSTRAP_POOL_BYTES = 100 * GB;

/** How long Pro's rules go on after Pro ends (interface, "Limits"). */
export const PRO_GRACE_MS = DAY_MS;

/** The tier in force now: Pro ends with its time and the grace after it. */
export function effectiveTier(user: { tier: "free" | "pro"; pro_until: number | null }, nowMs: number): "free" | "pro" {
  if (user.tier !== "pro") return "free";
  return user.pro_until === null || nowMs < user.pro_until + PRO_GRACE_MS ? "pro" : "free";
}

/**
 * When the shares of an account expire at the latest: the grace after the end of its Pro, once that has come, by the clock or by an operator.
 * Undefined while it is Pro without an end that has passed, and for one that never was.
 */
export function proSharesEndMs({ pro_until }: { pro_until: number | null }, nowMs: number): number | undefined {
  return pro_until !== null && pro_until <= nowMs ? pro_until + PRO_GRACE_MS : undefined;
}

/** Bytes as a person reads them: `1 GB`, `1 TB`, `1.5 MB`, `512 bytes`. */
export function describeBytes(bytes: number): string {
  if (bytes >= 1024 * GB) return `${round(bytes / (1024 * GB))} TB`;
  if (bytes >= GB) return `${round(bytes / GB)} GB`;
  if (bytes >= MB) return `${round(bytes / MB)} MB`;
  if (bytes >= 1024) return `${round(bytes / 1024)} KB`;
  return `${bytes} bytes`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
