/** Number of leading zero bits of the easiest and the hardest challenge (agents, "Challenge"). Clients stop after 50 million attempts. */
const BASE_BITS = 18;
const MAX_BITS = 22;

/** Returns the difficulty of a registration, which rises as an address approaches its hourly limit. */
export function registrationDifficulty(recent: number, limit: number): number {
  const share = limit > 0 ? Math.min(1, recent / limit) : 1;
  return BASE_BITS + Math.floor((MAX_BITS - BASE_BITS) * share);
}

/**
 * Number of wrong codes above a share's cap that doubles the difficulty for the first time. Each further doubling of the number doubles the
 * difficulty again.
 */
const CODES_PER_DOUBLING = 100;

/**
 * Returns the difficulty of the next unlock attempt after `excess` wrong codes above a share's cap (unlocking, "A share with many wrong codes
 * requires work").
 */
export const unlockDifficulty = (excess: number): number => BASE_BITS + Math.floor(Math.log2(1 + excess / CODES_PER_DOUBLING));
