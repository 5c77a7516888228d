import { createHash } from "node:crypto";
import { newKeyPrefix, newSecret, type Random } from "../domain/alphabet.ts";
import { sameText } from "./secrets.ts";

/** `bc_` + 8 characters + `_` + 256 random bits (decisions, "Identifiers and secrets"). */
const FORM = /^bc_([0-9A-Za-z]{8})_([\w-]{43})$/;

export interface NewApiKey {
  /** The key itself: shown once, never kept. */
  readonly key: string;
  readonly prefix: string;
  readonly salt: string;
  readonly hash: string;
}

/** Makes a key, and what is kept of it. */
export function newApiKey(random: Random): NewApiKey {
  const prefix = newKeyPrefix(random);
  const secret = newSecret(random, "");
  const salt = newSecret(random, "");
  return { key: `bc_${prefix}_${secret}`, prefix, salt, hash: hashKey(salt, secret) };
}

/** Splits a sent key; undefined where it has not the form of one. */
export function parseApiKey(key: string): { prefix: string; secret: string } | undefined {
  const [, prefix, secret] = FORM.exec(key) ?? [];
  return prefix && secret ? { prefix, secret } : undefined;
}

/** Whether a secret is the one that was kept, in constant time. */
export const matchesApiKey = (secret: string, kept: { salt: string; hash: string }): boolean =>
  sameText(hashKey(kept.salt, secret), kept.hash);

const hashKey = (salt: string, secret: string): string => createHash("sha256").update(salt).update(secret).digest("hex");
