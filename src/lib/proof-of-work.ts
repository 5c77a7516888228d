import { createHash } from "node:crypto";

/** Leading zero bits: the first difficulty and the maximum (agents, "Challenge"). Clients stop after 50 million attempts. */
const BASE_BITS = 18;
const MAX_BITS = 22;

/** The difficulty of a registration, which rises as an address approaches its registrations per hour. */
export function difficultyFor(recent: number, limit: number): number {
  const share = limit > 0 ? Math.min(1, recent / limit) : 1;
  return BASE_BITS + Math.floor((MAX_BITS - BASE_BITS) * share);
}

/** This many wrong codes above a share's cap double the first difficulty; each further doubling of them does so again. */
const CODES_PER_DOUBLING = 100;

/**
 * The difficulty of the next unlock attempt after `excess` wrong codes above a share's cap (unlocking, "A share with many wrong codes
 * requires work").
 */
export const unlockDifficulty = (excess: number): number => BASE_BITS + Math.floor(Math.log2(1 + excess / CODES_PER_DOUBLING));

/** Whether SHA-256 of `{challengeId}:{nonce}` starts with `difficulty` zero bits (agents, "Registration"). */
export function isWorkDone(challengeId: string, nonce: string, difficulty: number): boolean {
  const digest = createHash("sha256").update(`${challengeId}:${nonce}`).digest();
  return leadingZeroBits(digest) >= difficulty;
}

function leadingZeroBits(bytes: Uint8Array): number {
  let bits = 0;
  for (const byte of bytes) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}
