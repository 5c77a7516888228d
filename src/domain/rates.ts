import { HOUR_MS } from "./ttl.ts";

const MINUTE_MS = HOUR_MS / 60;

/** So many in so long. */
export interface Rate {
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Every limit on how often (interface, "Limits"; decisions, "Accounts, keys, tiers"). An operator overrides `limit` by name in
 * `FILEHOST_LIMITS`.
 */
export const DEFAULT_RATES = {
  /** Requests of an address without a key, or of an account with all its keys. */
  anonymous: { limit: 100, windowMs: MINUTE_MS },
  free: { limit: 100, windowMs: MINUTE_MS },
  pro: { limit: 1000, windowMs: MINUTE_MS },
  /** By address. */
  challenges: { limit: 20, windowMs: HOUR_MS },
  registrations: { limit: 5, windowMs: HOUR_MS },
  importsAnonymous: { limit: 10, windowMs: HOUR_MS },
  /** By account of a registered agent. */
  importsAgent: { limit: 30, windowMs: HOUR_MS },
  importsAgentPro: { limit: 300, windowMs: HOUR_MS },
  /** Wrong unlock codes, by share and address, and by share alone; past the latter each further one takes a proof of work. */
  unlockPerAddress: { limit: 10, windowMs: 15 * MINUTE_MS },
  unlockPerShare: { limit: 1000, windowMs: HOUR_MS },
  /** Test events to webhook endpoints, by account. */
  webhookTests: { limit: 10, windowMs: MINUTE_MS },
} as const satisfies Record<string, Rate>;

/** Event streams that an account, or an address without a key, may have open at once, on each process. */
export const MAX_OPEN_STREAMS = 10;

export type RateName = keyof typeof DEFAULT_RATES;
export type Rates = Readonly<Record<RateName, Rate>>;

/** The defaults with an operator's limits over them. */
export function mergeRates(overrides: Partial<Record<RateName, number>>): Rates {
  const entries = Object.entries(DEFAULT_RATES).map(([name, rate]) => [
    name,
    { ...rate, limit: overrides[name as RateName] ?? rate.limit },
  ]);
  return Object.fromEntries(entries) as Rates;
}
