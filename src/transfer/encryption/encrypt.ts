import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { Decrypter, Encrypter } from "age-encryption";
import { createChunkCipher } from "./chunk-cipher.ts";
import { CHUNK_BYTES, encryptedSize, NONCE_BYTES, SEALED_BYTES, TAG_BYTES } from "./encrypted-size.ts";

/**
 * The people who can decrypt: the owners of keys (`age1…`), or those who know a passphrase. The work of trying a passphrase doubles with each unit of
 * its factor; default: 18, as in the format.
 */
export type EncryptFor = { readonly recipients: readonly string[] } | { readonly passphrase: string; readonly workFactor?: number };

/** The common data of files that are encrypted together: a header, and the key in it, which is readable only for those who can decrypt. */
export interface FileKey {
  readonly header: Uint8Array;
  readonly key: Uint8Array;
}

/**
 * The secrets of one encrypted file, which determine each of its bytes, so that parts can be encrypted in any order and repeatedly. They must be used
 * for one content only.
 */
export interface Encryption {
  /** The header and the nonce, which precede the encrypted chunks. */
  readonly prefix: Uint8Array;
  readonly streamKey: Uint8Array;
}

/** Makes a key. Throws the library's error for an invalid recipient. */
export async function createFileKey(to: EncryptFor): Promise<FileKey> {
  const encrypter = new Encrypter();
  let key: Uint8Array | undefined;
  if ("passphrase" in to) {
    if (to.workFactor !== undefined) encrypter.setScryptWorkFactor(to.workFactor);
    encrypter.setPassphrase(to.passphrase);
  } else {
    for (const recipient of to.recipients) encrypter.addRecipient(recipient);
    encrypter.addRecipient({
      wrapFileKey: (fileKey) => {
        key = fileKey.slice();
        return [];
      },
    });
  }
  // Without content, the library's result ends with a nonce and the tag of an empty chunk.
  const header = (await encrypter.encrypt(new Uint8Array())).slice(0, -NONCE_BYTES - TAG_BYTES);
  if ("passphrase" in to) key = await openHeader(header, to.passphrase);
  if (key === undefined) throw new Error("The library made no file key");
  return { header, key };
}

/** Opens the key in the header of a file with a passphrase. Throws the library's error for a wrong passphrase. */
export async function openHeader(header: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  return await decrypter.decryptHeader(header);
}

/** Begins the encryption of a file. A nonce, of NONCE_BYTES, must be used for one content only; default: a random nonce. */
export function beginEncryption(
  { header, key }: FileKey,
  nonce: Uint8Array = crypto.getRandomValues(new Uint8Array(NONCE_BYTES)),
): Encryption {
  const prefix = new Uint8Array(header.length + NONCE_BYTES);
  prefix.set(header);
  prefix.set(nonce, header.length);
  return { prefix, streamKey: deriveStreamKey(key, nonce) };
}

/** Derives the key of a file's chunks from the key in its header and its nonce. */
export const deriveStreamKey = (key: Uint8Array, nonce: Uint8Array): Uint8Array =>
  hkdf(sha256, key, nonce, new TextEncoder().encode("payload"), 32);

/** Returns the nonce of a chunk. The number of the first chunk is 0. */
export function toChunkNonce(number: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(12);
  const view = new DataView(nonce.buffer);
  // The nonce is a counter of 11 bytes, of which a number fills at most 7, and then the mark of the last chunk.
  view.setUint32(3, Math.floor(number / 2 ** 32));
  view.setUint32(7, number % 2 ** 32);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** A source of bytes that can be read at any position. */
export interface RandomReader {
  readonly sizeBytes: number;
  /** Reads from `position` until the buffer is full. Resolves to the bytes read: fewer at the end. */
  read(buffer: Uint8Array, position: number): Promise<number>;
}

/** Encrypts a source that can be read at any position. A source that has become shorter ends early. */
export function encryptReader(encryption: Encryption, source: RandomReader): RandomReader {
  const { prefix, streamKey } = encryption;
  const cipher = createChunkCipher(streamKey);
  const sizeBytes = encryptedSize({ header: prefix.subarray(NONCE_BYTES) }, source.sizeBytes);
  const lastNumber = Math.max(0, Math.ceil(source.sizeBytes / CHUNK_BYTES) - 1);
  // A new buffer for each chunk would be garbage of the size of the file.
  const plain = new Uint8Array(CHUNK_BYTES);
  const sealed = new Uint8Array(SEALED_BYTES);
  const queue = createQueue();

  /** Copies what the chunk with this number has from a position on. Resolves to the bytes copied: none behind the end of the source. */
  async function copySealed(number: number, from: number, into: Uint8Array): Promise<number> {
    const start = number * CHUNK_BYTES;
    const length = Math.min(CHUNK_BYTES, source.sizeBytes - start);
    return await queue(async () => {
      const [bytes, result] = [plain.subarray(0, length), sealed.subarray(0, length + TAG_BYTES)];
      if ((await source.read(bytes, start)) < length) return 0;
      await (await cipher).seal(toChunkNonce(number, number === lastNumber), bytes, result);
      return copy(result, from, into);
    });
  }

  return {
    sizeBytes,
    async read(buffer, position) {
      let filled = 0;
      while (filled < buffer.length && position + filled < sizeBytes) {
        const at = position + filled;
        const inChunks = at - prefix.length;
        const rest = buffer.subarray(filled);
        const copied =
          inChunks < 0 ? copy(prefix, at, rest) : await copySealed(Math.floor(inChunks / SEALED_BYTES), inChunks % SEALED_BYTES, rest);
        if (copied === 0) break;
        filled += copied;
      }
      return filled;
    },
  };
}

/** Copies bytes from a position on, as many as fit into the buffer. Returns their number. */
function copy(bytes: Uint8Array, from: number, into: Uint8Array): number {
  const copied = bytes.subarray(from, from + into.length);
  into.set(copied);
  return copied.length;
}

/** Creates a queue that runs work one after another, because the works share a buffer. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

/** Encrypts bytes of unknown length in order. */
export async function* encryptStream(
  encryption: Encryption,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBufferLike>> {
  yield encryption.prefix;
  const cipher = await createChunkCipher(encryption.streamKey);
  const chunk = new Uint8Array(CHUNK_BYTES);
  let [filled, number] = [0, 0];
  const seal = async (isLast: boolean): Promise<Uint8Array> => {
    const sealed = new Uint8Array(filled + TAG_BYTES);
    await cipher.seal(toChunkNonce(number, isLast), chunk.subarray(0, filled), sealed);
    return sealed;
  };
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length; ) {
      // Only the end of the input shows which chunk is the last.
      if (filled === CHUNK_BYTES) {
        yield await seal(false);
        number += 1;
        filled = 0;
      }
      const copied = bytes.subarray(from, from + CHUNK_BYTES - filled);
      chunk.set(copied, filled);
      filled += copied.length;
      from += copied.length;
    }
  }
  yield await seal(true);
}
