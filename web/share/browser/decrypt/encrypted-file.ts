/** An encrypted file of the page, of which parts are read and decrypted without a download. */
import { contentSize, findPrefix } from "../../../../src/transfer/encryption/chunks.ts";
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { CHUNK_BYTES, SEALED_BYTES } from "../../../../src/transfer/encryption/encrypted-size.ts";
import { readWrapping } from "../../../../src/transfer/encryption/wrapped-name.ts";
import type { Decryptor } from "./decryptor.ts";
import { gather } from "./gather.ts";

/** The bytes of `beginning`, from which the kind of a file is recognized. */
const BEGINNING_BYTES = 4096;
/** The bytes that are read first: the first chunk, behind a header for some recipients. */
const HEAD_BYTES = SEALED_BYTES + 4096;

export interface EncryptedFile {
  readonly fileId: string;
  /** The signed path of the encrypted bytes. It expires. */
  readonly url: string;
  readonly sizeBytes: number;
  /** Resolves to a new signed path. */
  renew(): Promise<string | undefined>;
}

export interface OpenedFile {
  /** The name that the sender has hidden, with its folders. Unchecked. */
  readonly hiddenName: string | undefined;
  /** The size of the decrypted file. */
  readonly sizeBytes: number;
  /** The first bytes of the decrypted file. */
  readonly beginning: Uint8Array;
  /** Decrypts the file up to a position. `onDone` receives the done part, from 0 to 1. */
  read(endBytes: number, options: { readonly signal: AbortSignal; onDone(share: number): void }): Promise<Blob>;
}

/** The server's refusal of the bytes: the file has no preview any more. */
export class BytesRefused extends Error {}

/**
 * Opens a file, and verifies its first chunk. Resolves to undefined for a file that is written as text, or whose header is long. Rejects with
 * DecryptionError, BytesRefused or the error of the connection.
 */
export async function openEncryptedFile(file: EncryptedFile, key: string, decryptor: Decryptor): Promise<OpenedFile | undefined> {
  let { url } = file;

  /** Requests bytes, with a new URL if the known one has expired. */
  async function request(start: number, end: number, signal?: AbortSignal): Promise<Response> {
    const ask = () => fetch(url, { headers: { Range: `bytes=${start}-${end - 1}` }, ...(signal && { signal }) });
    let response = await ask();
    if (response.status === 403) {
      url = (await file.renew()) ?? url;
      response = await ask();
    }
    if (response.status !== 206) throw new BytesRefused();
    return response;
  }

  const head = new Uint8Array(await (await request(0, Math.min(file.sizeBytes, HEAD_BYTES))).arrayBuffer());
  const prefix = findPrefix(head);
  if (typeof prefix === "string") return undefined;
  const { end: chunksStart } = prefix;
  const firstEnd = Math.min(file.sizeBytes, chunksStart + SEALED_BYTES);
  if (head.length < firstEnd) return undefined;
  // An opened file is kept, and with views it would keep the read bytes.
  const secrets = { fileKey: await decryptor.openHeader(prefix.header, key), nonce: prefix.nonce.slice() };
  const allBytes = contentSize(chunksStart, file.sizeBytes);
  const decrypt = (source: ReadableStream<Uint8Array>, end: number) =>
    decryptor.decryptPart({ secrets, number: 0, source, isEnd: end === file.sizeBytes });
  const first = new Uint8Array(
    await new Response(decrypt(new Blob([head.subarray(chunksStart, firstEnd)]).stream(), firstEnd)).arrayBuffer(),
  );
  const { name, start, sizeBytes } = (await readWrapping(first)) ?? { name: undefined, start: 0, sizeBytes: allBytes };
  if (start + sizeBytes > allBytes) throw new DecryptionError("damaged");
  return {
    hiddenName: name,
    sizeBytes,
    beginning: first.slice(start, start + Math.min(sizeBytes, BEGINNING_BYTES)),
    async read(endBytes, { signal, onDone }) {
      const needed = start + Math.min(endBytes, sizeBytes);
      const end = Math.min(file.sizeBytes, chunksStart + Math.max(1, Math.ceil(needed / CHUNK_BYTES)) * SEALED_BYTES);
      const { body } = await request(chunksStart, end, signal);
      const decrypted = await gather(decrypt(body ?? new Blob([]).stream(), end), (done) => onDone(Math.min(1, done / needed)));
      // A part that ends before the file does not show that it is complete.
      if (decrypted.size < needed) throw new DecryptionError("damaged");
      return decrypted.slice(start, needed);
    },
  };
}
