import { createHash } from "node:crypto";
import { newKeyPrefix, newSecret, type Random } from "../../lib/ids.ts";
import { isEqualText } from "../../lib/secrets.ts";

/** `bc_` + 8 characters + `_` + 256 random bits (identifiers, "Secrets"). */
const API_KEY = /^bc_([0-9A-Za-z]{8})_([\w-]{43})$/;

export interface NewApiKey {
  /** The key itself; shown once, never stored. */
  readonly key: string;
  readonly prefix: string;
  readonly salt: string;
  readonly hash: string;
}

/** Generates a key, and the columns that are stored of it. */
export function newApiKey(random: Random): NewApiKey {
  const prefix = newKeyPrefix(random);
  const secret = newSecret(random, "");
  const salt = newSecret(random, "");
  return { key: `bc_${prefix}_${secret}`, prefix, salt, hash: hashKey(salt, secret) };
}

/** Splits a key into its parts; undefined if it is malformed. */
export function parseApiKey(key: string): { prefix: string; secret: string } | undefined {
  const [, prefix, secret] = API_KEY.exec(key) ?? [];
  return prefix && secret ? { prefix, secret } : undefined;
}

/** Whether a secret matches the stored hash; compares in constant time. */
export const matchesApiKey = (secret: string, { salt, hash }: { salt: string; hash: string }): boolean =>
  isEqualText(hashKey(salt, secret), hash);

const hashKey = (salt: string, secret: string): string => createHash("sha256").update(salt).update(secret).digest("hex");
