import { DAY_MS } from "../lib/text/duration.ts";

const GB = 1024 ** 3;

export type Tier = "anonymous" | "free" | "pro";

export interface TierLimits {
  /** Maximum size of a file. */
  readonly fileBytes: number;
  /** Included storage. */
  readonly storageBytes: number;
  /** Hard maximum of storage, bytes. */
  readonly storageMaxBytes: number;
  /** Maximum number of stored files, including unfinished uploads. */
  readonly files: number;
  /** Maximum retention that can be chosen. It is also the default, except for Pro, whose files stay while Pro is active. */
  readonly retentionMs: number;
}

/** Limits of each tier (limits, "Tiers"). */
export const DEFAULT_TIERS: Readonly<Record<Tier, TierLimits>> = {
  anonymous: { fileBytes: GB, storageBytes: GB, storageMaxBytes: GB, files: 20_000, retentionMs: 3 * DAY_MS },
  free: { fileBytes: 5 * GB, storageBytes: 10 * GB, storageMaxBytes: 10 * GB, files: 100_000, retentionMs: 7 * DAY_MS },
  pro: { fileBytes: 35 * GB, storageBytes: 100 * GB, storageMaxBytes: 1024 * GB, files: 1_000_000, retentionMs: 90 * DAY_MS },
};

/** Default storage that all self-registered agents share, bytes. */
export const DEFAULT_BOOTSTRAP_POOL_BYTES = 100 * GB;
