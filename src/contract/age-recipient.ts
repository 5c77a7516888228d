import { z } from "zod";

/** The letters of bech32, by their value. */
const LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const PREFIX = "age";
/** A public key of X25519: 52 letters for its 32 bytes, and 6 for the checksum. */
const SHAPE = /^age1([qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58})$/;
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;

/** Returns whether a text is an age public key of X25519 (`age1…`) without a typing mistake, by its bech32 checksum (BIP 173). */
export function isAgeRecipient(text: string): boolean {
  const [, data] = SHAPE.exec(text) ?? [];
  if (data === undefined) return false;
  const codes = [...PREFIX].map((letter) => letter.charCodeAt(0));
  const values = [...data].map((letter) => LETTERS.indexOf(letter));
  // The last letter of the key has 4 unused bits, which are 0.
  if (((values[51] ?? 0) & 0b1111) !== 0) return false;
  return toChecksum([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values]) === 1;
}

function toChecksum(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATORS.entries()) if ((top >>> bit) & 1) sum ^= generator;
  }
  return sum;
}

/** The field of an age public key. */
export const ageRecipient = z
  .string()
  .refine(isAgeRecipient, "give an age public key as age-keygen prints it: age1 and 58 characters")
  .meta({ maxLength: 62 });

const PARAMETER = "to";

/** Returns the fragment of a request's link that names the key to which senders encrypt (requests, "Encrypted requests"). */
export const toRecipientFragment = (recipient: string): string => `${PARAMETER}=${recipient}`;

/** Reads the key in the fragment of a request's link; undefined if there is none, null if it has a mistake. */
export function readRecipientFragment(fragment: string): string | null | undefined {
  const key = new URLSearchParams(fragment.replace(/^#/, "")).get(PARAMETER);
  if (key === null) return undefined;
  return isAgeRecipient(key) ? key : null;
}
