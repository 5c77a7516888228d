import { isUtf8 } from "node:buffer";
import { readdir } from "node:fs/promises";

/** Whether a name contains U+FFFD, which replaces bytes that are not UTF-8. A valid name can contain it too. */
export const mayBeInvalid = (name: string): boolean => name.includes("\uFFFD");

interface DoubtfulNames {
  /** The names that are not valid UTF-8, with each byte above 0x7f as `\xff`. */
  readonly invalid: readonly string[];
  /** The valid names that contain U+FFFD. */
  readonly valid: ReadonlySet<string>;
}

/**
 * Reads which names in a folder are not valid UTF-8. An invalid name must not be opened by its replaced form, because another file may have that
 * name. A runtime that has already replaced the bytes has no invalid names.
 */
export async function readDoubtfulNames(folder: string): Promise<DoubtfulNames> {
  const names = await readdir(folder, { encoding: "buffer" });
  const valid = names.filter((name) => isUtf8(name)).map((name) => name.toString("utf8"));
  return { invalid: names.filter((name) => !isUtf8(name)).map(escapeBytes), valid: new Set(valid.filter(mayBeInvalid)) };
}

const escapeBytes = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`)).join("");
