import { createHash } from "node:crypto";

/** Returns whether the SHA-256 of `{challengeId}:{nonce}` starts with `difficulty` zero bits (agents, "Registration"). */
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
