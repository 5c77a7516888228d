import { readdir } from "node:fs/promises";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** What a name has in place of bytes that are no UTF-8. */
export const mayBeInvalid = (name: string): boolean => name.includes("\uFFFD");

/**
 * The names in a folder that are not UTF-8, readable: each byte above 0x7f as `\xff`. Under a runtime that has replaced such bytes before, none.
 * Another file may have the replaced name, so that an invalid name must not be opened by it.
 */
export async function listInvalidNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { encoding: "buffer" });
  return names.filter((name) => !isUtf8(name)).map(escapeBytes);
}

/** The valid names in a folder that have this character themselves. */
export async function listOwnReplacements(folder: string): Promise<ReadonlySet<string>> {
  const names = await readdir(folder, { encoding: "buffer" });
  return new Set(
    names
      .filter(isUtf8)
      .map((name) => decoder.decode(name))
      .filter(mayBeInvalid),
  );
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const escapeBytes = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`)).join("");
