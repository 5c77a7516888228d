import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { FileKey, RandomReader } from "./encrypt.ts";
import { NONCE_BYTES } from "./encrypted-size.ts";
import { wrapName } from "./wrapped-name.ts";

/** Derives 32 bytes from the key of a share's files, for a purpose. */
const derive = ({ key }: Pick<FileKey, "key">, purpose: string, text: string): Uint8Array =>
  hmac(sha256, key, utf8ToBytes(`filehost ${purpose}\n${text}`));

/** Derives a nonce for the content of a file. `contentVersion` differs for different contents of the same name. */
export const deriveNonce = (fileKey: Pick<FileKey, "key">, name: string, contentVersion: string): Uint8Array =>
  derive(fileKey, "nonce", `${name}\n${contentVersion}`).subarray(0, NONCE_BYTES);

/** Derives the bytes that keep two shortened names different. */
export const deriveNameDigest = (fileKey: Pick<FileKey, "key">, path: string): string =>
  bytesToHex(derive(fileKey, "name", path).subarray(0, 4));

/** Returns the name of the encrypted file that contains a file with this path (encryption, "Hidden names"). */
export const toHiddenName = (fileKey: Pick<FileKey, "key">, path: string): string =>
  `encrypted-${bytesToHex(derive(fileKey, "name", path).subarray(0, 8))}.tar.age`;

/** A file whose name and attributes are hidden. */
export interface NamedReader extends RandomReader {
  readonly modifiedMs: number;
  readonly isExecutable: boolean;
}

/** Wraps a file in an archive that contains its name. */
export function withName(file: NamedReader, name: string): RandomReader {
  const { before, after } = wrapName({ name, sizeBytes: file.sizeBytes, modifiedMs: file.modifiedMs, isExecutable: file.isExecutable });
  const end = before.length + file.sizeBytes;
  const copy = (from: Uint8Array, at: number, into: Uint8Array): number => {
    const found = from.subarray(at, at + into.length);
    into.set(found);
    return found.length;
  };
  return {
    sizeBytes: end + after.length,
    async read(buffer, position) {
      let filled = 0;
      while (filled < buffer.length) {
        const at = position + filled;
        const rest = buffer.subarray(filled);
        const read =
          at < before.length
            ? copy(before, at, rest)
            : at < end
              ? await file.read(rest.subarray(0, end - at), at - before.length)
              : copy(after, at - end, rest);
        if (read === 0) break;
        filled += read;
      }
      return filled;
    },
  };
}
