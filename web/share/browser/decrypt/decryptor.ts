/** The workers that decrypt files of a page (encryption, "On the page"). */
import { type BegunFile, splitBatches } from "../../../../src/transfer/encryption/chunk-stream.ts";
import type { ChunkSecrets } from "../../../../src/transfer/encryption/chunks.ts";
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { mapError } from "../../../../src/transfer/encryption/map-error.ts";
import { createWorkerPool } from "../../../site/browser/worker-pool.ts";
import { receiveStream, sendOverPort } from "./port-stream.ts";
import type { WorkerOperation, WorkerOperations, WorkerResponse } from "./worker-messages.ts";

/** The path of the worker's script, which is inserted when the scripts are bundled. */
declare const DECRYPT_WORKER: string;

const MAX_WORKERS = 4;
/** The chunks that a worker gets at once. */
const BATCH_CHUNKS = 16;

/** A part of an encrypted file from one of its chunks on. */
export interface EncryptedPart {
  readonly secrets: ChunkSecrets;
  /** The number of the first chunk. */
  readonly number: number;
  /** The encrypted bytes, which end with a chunk. */
  readonly source: ReadableStream<Uint8Array>;
  /** Whether the part ends with the last chunk of the file. */
  readonly isEnd: boolean;
}

/** Decrypts files. Rejects, and its streams fail, with DecryptionError, the error of the source, or an error if the script cannot be loaded. */
export interface Decryptor {
  /** Loads the script of a worker. */
  load(): Promise<void>;
  openHeader(header: Uint8Array, key: string): Promise<Uint8Array>;
  /** Decrypts a part. Several workers share the work, and a few batches are in memory. */
  decryptPart(part: EncryptedPart): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Decrypts a file whose beginning was read already, from its first byte on. */
  decryptFile(file: BegunFile, key: string): Promise<ReadableStream<Uint8Array>>;
  /** Ends the workers. */
  close(reason?: unknown): void;
}

export function createDecryptor(): Decryptor {
  const count = Math.max(1, Math.min(MAX_WORKERS, navigator.hardwareConcurrency - 1));
  const pool = createWorkerPool({ script: DECRYPT_WORKER, count, toError: () => new Error("The worker cannot be loaded") });
  const opened = new Map<string, Promise<Uint8Array>>();
  const ending = new AbortController();

  async function call<Kind extends WorkerOperation>(
    kind: Kind,
    input: WorkerOperations[Kind]["input"],
    transfer?: readonly Transferable[],
  ): Promise<WorkerOperations[Kind]["result"]> {
    ending.signal.throwIfAborted();
    const response = await pool.call<WorkerResponse>({ kind, input }, transfer);
    if ("problem" in response) throw new DecryptionError(response.problem);
    return response.result as WorkerOperations[Kind]["result"];
  }

  /** Opens a header. The files of a share have the same header, which takes seconds with a passphrase, so it is opened once. */
  function openHeader(header: Uint8Array, key: string): Promise<Uint8Array> {
    const id = `${key}\n${new TextDecoder("latin1").decode(header)}`;
    const known = opened.get(id);
    if (known) return known;
    const found = call("open", { header, key });
    opened.set(id, found);
    found.catch((error: unknown) => {
      // Another error says nothing about the key.
      if (!(error instanceof DecryptionError)) opened.delete(id);
    });
    return found;
  }

  function decryptPart({ secrets, number, source, isEnd }: EncryptedPart): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = source.getReader();
    const batches = splitBatches(reader, BATCH_CHUNKS);
    const running: Promise<Uint8Array<ArrayBuffer>>[] = [];
    let next = number;
    let isRead = false;
    const begin = async (): Promise<void> => {
      const { done, value } = await batches.next();
      isRead = done === true || value.isLast;
      if (done) return;
      const chunks = { ...secrets, number: next, bytes: value.bytes, isEnd: isEnd && value.isLast };
      next += BATCH_CHUNKS;
      const decrypted = call("chunks", chunks, [value.bytes.buffer]);
      // Its consumer gets the error.
      decrypted.catch(() => undefined);
      running.push(decrypted);
    };
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          // One batch more than workers is read, so that no worker waits for the connection.
          while (!isRead && running.length <= count) await begin();
          const bytes = await running.shift();
          if (bytes && bytes.length > 0) controller.enqueue(bytes);
          if (isRead && running.length === 0) controller.close();
        },
        cancel: async (reason) => {
          // This ends a pending read, for which the batches would wait.
          await reader.cancel(reason).catch(() => undefined);
          await batches.return(undefined);
        },
      },
      { highWaterMark: 1 },
    );
  }

  return {
    async load() {
      await call("load", {});
    },
    openHeader,
    decryptPart,
    async decryptFile(file, key) {
      if (file.prefix === "text") {
        const [input, output] = [new MessageChannel(), new MessageChannel()];
        const failure: { error?: unknown } = {};
        sendOverPort(file.rest, input.port1, {
          onError: (error) => {
            failure.error = error;
          },
        });
        await call("stream", { key, input: input.port2, output: output.port2 }, [input.port2, output.port2]).catch((error: unknown) => {
          throw failure.error ?? error;
        });
        return mapError(receiveStream(output.port1, ending.signal), (error) => failure.error ?? error);
      }
      const { header, nonce } = file.prefix;
      const secrets = { fileKey: await openHeader(header, key), nonce };
      return decryptPart({ secrets, number: 0, source: file.rest, isEnd: true });
    },
    close(reason = new DOMException("", "AbortError")) {
      ending.abort(reason);
      pool.close(reason);
    },
  };
}
