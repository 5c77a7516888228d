import { createHash } from "node:crypto";

/** Leading zero bits: what is asked first, and at most (decisions, "Accounts, keys, tiers"). Clients give up after 50 million tries. */
const BASE_BITS = 18;
const MAX_BITS = 22;

/** The work that a registration costs: more as an address comes near to the registrations that it may make in an hour. */
export function difficultyFor(recent: number, limit: number): number {
  const share = limit > 0 ? Math.min(1, recent / limit) : 1;
  return BASE_BITS + Math.floor((MAX_BITS - BASE_BITS) * share);
}

/** So many wrong codes past a share's cap double the first difficulty; from there on it doubles as they do. */
const WRONG_CODES_A_DOUBLING = 100;

/** The work that one more unlock code costs after `excess` wrong ones past the cap of a share (docs/interface/unlocking.md). */
export const unlockDifficulty = (excess: number): number => BASE_BITS + Math.floor(Math.log2(1 + excess / WRONG_CODES_A_DOUBLING));

/** Whether SHA-256 of `{challengeId}:{nonce}` begins with so many zero bits (interface, "Agent and system"). */
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
