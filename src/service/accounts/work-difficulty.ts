/** Leading zero bits: the first difficulty and the maximum (agents, "Challenge"). Clients stop after 50 million attempts. */
const BASE_BITS = 18;
const MAX_BITS = 22;

/** The difficulty of a registration, which rises as an address approaches its registrations per hour. */
export function registrationDifficulty(recent: number, limit: number): number {
  const share = limit > 0 ? Math.min(1, recent / limit) : 1;
  return BASE_BITS + Math.floor((MAX_BITS - BASE_BITS) * share);
}

/** A share with this many wrong codes above its cap has twice the first difficulty; each further doubling of them doubles it again. */
const CODES_PER_DOUBLING = 100;

/**
 * The difficulty of the next unlock attempt after `excess` wrong codes above a share's cap (unlocking, "A share with many wrong codes
 * requires work").
 */
export const unlockDifficulty = (excess: number): number => BASE_BITS + Math.floor(Math.log2(1 + excess / CODES_PER_DOUBLING));
