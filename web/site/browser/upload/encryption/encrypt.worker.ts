/**
 * Encrypts files in a worker, because the cryptography occupies a thread. The worker reads the files itself and returns encrypted bytes; the policy of
 * its script allows no connection.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  beginEncryption,
  createFileKey,
  type Encryption,
  encryptReader,
  type RandomReader,
} from "../../../../../src/transfer/encryption/encrypt.ts";
import { deriveNonce, toHiddenName, withName } from "../../../../../src/transfer/encryption/hidden-name.ts";
import { createShareKey, recipientOf } from "../../../../../src/transfer/encryption/share-key.ts";
import { useOwnFunctions } from "../../without-subtle.ts";
import type { WorkerOperation, WorkerOperations, WorkerRequest, WorkerResponse } from "./worker-messages.ts";

const hasSubtle = globalThis.crypto.subtle !== undefined;
useOwnFunctions();

/** The bytes that are read from a file at once. */
const READ_BYTES = 4 * 1024 ** 2;

type Operations = { [Kind in WorkerOperation]: (input: WorkerOperations[Kind]["input"]) => Promise<WorkerOperations[Kind]["result"]> };

const operations: Operations = {
  async createKeys() {
    const { identity, recipient } = await createShareKey();
    return { identity, fileKey: await createFileKey({ recipients: [recipient] }) };
  },
  createOwnKey: () => createShareKey(),
  toRecipient: ({ identity }) => recipientOf(identity),
  createFileKey: ({ recipient }) => createFileKey({ recipients: [recipient] }),
  async sealText({ text, passphrase }) {
    const source = readBytes(new TextEncoder().encode(text));
    const sealed = encryptReader(beginEncryption(await createFileKey({ passphrase })), source);
    return await readAll(sealed, 0, sealed.sizeBytes);
  },
  async begin({ fileKey, path, file }) {
    const encryption = beginEncryption(fileKey);
    return { encryption, name: toHiddenName(fileKey, path), sizeBytes: readEncrypted(encryption, path, readFile(file)).sizeBytes };
  },
  async encryptPart({ encryption, path, file, start, end }) {
    const bytes = await readAll(readEncrypted(encryption, path, readFile(file)), start, end);
    return { bytes: new Blob([bytes]), sha256: await digestOf(bytes) };
  },
  async encryptWhole({ fileKey, path, file }) {
    // The nonce is derived from the content, so that no nonce encrypts two contents. A file that is sent again has the same bytes. The file is read
    // once, because it may be written between two reads.
    const content = new Uint8Array(await file.arrayBuffer());
    const encryption = beginEncryption(fileKey, deriveNonce(fileKey, path, await digestOf(content)));
    const encrypted = readEncrypted(encryption, path, readBytes(content));
    return { name: toHiddenName(fileKey, path), bytes: new Blob([await readAll(encrypted, 0, encrypted.sizeBytes)]) };
  },
};

addEventListener("message", async ({ data }: MessageEvent<WorkerRequest>) => {
  // A browser refuses to read a file that has changed.
  const response: WorkerResponse = await run(data).catch(() => null);
  postMessage(response);
});

const run = <Kind extends WorkerOperation>({
  kind,
  input,
}: {
  kind: Kind;
  input: WorkerOperations[Kind]["input"];
}): Promise<WorkerResponse> => operations[kind](input);

/** The time is not sent, as in uploads without encryption. */
const readEncrypted = (encryption: Encryption, path: string, content: RandomReader): RandomReader =>
  encryptReader(encryption, withName({ ...content, modifiedMs: 0, isExecutable: false }, path));

const readBytes = (bytes: Uint8Array): RandomReader => ({
  sizeBytes: bytes.length,
  async read(buffer, position) {
    const found = bytes.subarray(position, position + buffer.length);
    buffer.set(found);
    return found.length;
  },
});

/** Reads a file, in larger pieces than are requested. */
function readFile(file: File): RandomReader {
  let [pieceStart, piece] = [0, new Uint8Array()];
  return {
    sizeBytes: file.size,
    async read(buffer, position) {
      let filled = 0;
      while (filled < buffer.length && position + filled < file.size) {
        const at = position + filled;
        if (at < pieceStart || at >= pieceStart + piece.length) {
          piece = new Uint8Array(await file.slice(at, at + READ_BYTES).arrayBuffer());
          pieceStart = at;
          if (piece.length === 0) break;
        }
        const copied = piece.subarray(at - pieceStart, at - pieceStart + buffer.length - filled);
        buffer.set(copied, filled);
        filled += copied.length;
      }
      return filled;
    },
  };
}

async function readAll(source: RandomReader, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start);
  if ((await source.read(bytes, start)) < bytes.length) throw new Error("The file is shorter than before");
  return bytes;
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return bytesToHex(hasSubtle ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)) : sha256(bytes));
}
