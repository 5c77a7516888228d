/*
 * Encrypted files whose chunks are decrypted in any order, so that several workers share the work and a preview reads a part of a file. Files that are
 * written as text have no chunks at known positions.
 */
import { type ChunkCipher, createChunkCipher } from "./chunk-cipher.ts";
import { DecryptionError } from "./decryption-error.ts";
import { deriveStreamKey, toChunkNonce } from "./encrypt.ts";
import { CHUNK_BYTES, NONCE_BYTES, SEALED_BYTES, TAG_BYTES } from "./encrypted-size.ts";

/** The largest header, enough for 10,000 keys of the usual kind. */
export const MAX_HEADER_BYTES = 1024 ** 2;
/** The beginning of the last line of a header. */
const LAST_LINE = new TextEncoder().encode("\n---");
const LINE_BREAK = 0x0a;
/** The first bytes of a header. A file that is written as text begins otherwise. */
const VERSION = new TextEncoder().encode("age-encryption.org/");

/** The secrets with which the chunks of one file are decrypted: the key in its header, and its nonce. */
export interface ChunkSecrets {
  readonly fileKey: Uint8Array;
  readonly nonce: Uint8Array;
}

/** Consecutive chunks of a file. */
export interface Chunks {
  /** The number of the first one; 0 is the first of the file. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Whether the last of them is the last of the file. */
  readonly isEnd: boolean;
}

export interface Prefix {
  readonly header: Uint8Array;
  readonly nonce: Uint8Array;
  /** The position of the first chunk. */
  readonly end: number;
}

/**
 * Finds the header and the nonce at the beginning of a file: `text` if it is not written as bytes, `more` if the beginning is too short. Throws
 * DecryptionError for an endless header.
 */
export function findPrefix(beginning: Uint8Array): Prefix | "text" | "more" {
  for (const [index, byte] of VERSION.subarray(0, beginning.length).entries()) if (beginning[index] !== byte) return "text";
  const headerEnd = findHeaderEnd(beginning);
  if (headerEnd === undefined) {
    if (beginning.length > MAX_HEADER_BYTES) throw new DecryptionError("unsupported");
    return "more";
  }
  const end = headerEnd + NONCE_BYTES;
  if (end > beginning.length) return "more";
  return { header: beginning.slice(0, headerEnd), nonce: beginning.slice(headerEnd, end), end };
}

/** Finds the position after the last line of a header. */
function findHeaderEnd(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) {
    if (LAST_LINE.some((byte, index) => bytes[at + index] !== byte)) continue;
    const end = bytes.indexOf(LINE_BREAK, at + 1);
    return end < 0 ? undefined : end + 1;
  }
  return undefined;
}

/** Makes the cipher for the chunks of one file. */
export const createFileCipher = ({ fileKey, nonce }: ChunkSecrets): Promise<ChunkCipher> =>
  createChunkCipher(deriveStreamKey(fileKey, nonce));

/** Decrypts and verifies chunks. Rejects with DecryptionError for changed and missing bytes. */
export async function openChunks(cipher: ChunkCipher, { number, bytes, isEnd }: Chunks): Promise<Uint8Array<ArrayBuffer>> {
  const count = Math.max(1, Math.ceil(bytes.length / SEALED_BYTES));
  const sizeBytes = bytes.length - count * TAG_BYTES;
  const lastBytes = sizeBytes - (count - 1) * CHUNK_BYTES;
  // Only the last chunk may be short, and it is empty only in an empty file.
  if (lastBytes < 0 || (lastBytes === 0 && number + count > 1) || (lastBytes < CHUNK_BYTES && !isEnd)) throw new DecryptionError("damaged");
  const opened = new Uint8Array(sizeBytes);
  const openOne = (index: number): Promise<void> => {
    const sealed = bytes.subarray(index * SEALED_BYTES, (index + 1) * SEALED_BYTES);
    const into = opened.subarray(index * CHUNK_BYTES, index * CHUNK_BYTES + sealed.length - TAG_BYTES);
    return cipher.open(toChunkNonce(number + index, isEnd && index === count - 1), sealed, into);
  };
  try {
    await Promise.all(Array.from({ length: count }, (_, index) => openOne(index)));
  } catch (error) {
    throw new DecryptionError("damaged", { cause: error });
  }
  return opened;
}

/** Returns the size of the content of a file. Throws DecryptionError for a size that no file has. */
export function contentSize(prefixEnd: number, encryptedBytes: number): number {
  const payload = encryptedBytes - prefixEnd;
  const sizeBytes = payload - Math.ceil(payload / SEALED_BYTES) * TAG_BYTES;
  if (payload < TAG_BYTES || sizeBytes < 0) throw new DecryptionError("damaged");
  return sizeBytes;
}
