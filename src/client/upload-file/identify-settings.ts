import { scryptSync } from "node:crypto";

/**
 * Returns publish fields in a form from which records identify an upload. A password is hashed slowly, because records stay on the device, where
 * nobody should be able to guess the password from them.
 */
export const identifySettings = (fields: Readonly<Record<string, unknown>>): readonly (readonly [name: string, value: unknown])[] =>
  Object.entries(fields)
    .map(([name, value]): [string, unknown] => [name, name === "password" && typeof value === "string" ? hashSlowly(value) : value])
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** Hashes with the parameters of the server's passwords, and always to the same text. */
const hashSlowly = (password: string): string =>
  scryptSync(password.normalize("NFKC"), "filehost upload", 32, { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }).toString("hex");
