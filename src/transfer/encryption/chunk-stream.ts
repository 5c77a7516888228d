/** Encrypted files that arrive as a stream: their beginning, and their chunks in batches. */
import { joinBytes } from "../../lib/formats/join-bytes.ts";
import { type ChunkSecrets, createFileCipher, findPrefix, openChunks, type Prefix } from "./chunks.ts";
import { DecryptionError } from "./decryption-error.ts";
import { NONCE_BYTES, SEALED_BYTES } from "./encrypted-size.ts";

/** A file whose beginning was read. */
export interface BegunFile {
  readonly prefix: Prefix | "text";
  /** The bytes behind the prefix; all bytes of a file that is written as text. */
  readonly rest: ReadableStream<Uint8Array>;
}

/** Reads the beginning of a file. Rejects with DecryptionError, or with the error of the source. */
export async function beginFile(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<BegunFile> {
  let beginning: Uint8Array = new Uint8Array();
  for (;;) {
    const { done, value } = await reader.read();
    // The header of a file without a nonce is read too, because its problem is the first one.
    beginning = joinBytes([beginning, value ?? new Uint8Array(NONCE_BYTES)]);
    const prefix = findPrefix(beginning);
    if (prefix !== "more") return { prefix, rest: continueStream(prefix === "text" ? beginning : beginning.subarray(prefix.end), reader) };
    if (done) throw new DecryptionError("damaged");
  }
}

/** Makes a stream of bytes that were read, and the following ones. */
function continueStream(first: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.length > 0) controller.enqueue(first);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

export interface Batch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isLast: boolean;
}

/** Splits a stream into batches of so many chunks. Only the last batch may be shorter. */
export async function* splitBatches(reader: ReadableStreamDefaultReader<Uint8Array>, chunks: number): AsyncGenerator<Batch> {
  const batchBytes = chunks * SEALED_BYTES;
  try {
    let [batch, filled] = [new Uint8Array(batchBytes), 0];
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (let from = 0; from < next.value.length; ) {
        // Only the end of the source shows which batch is the last.
        if (filled === batchBytes) {
          yield { bytes: batch, isLast: false };
          [batch, filled] = [new Uint8Array(batchBytes), 0];
        }
        const copied = next.value.subarray(from, from + batchBytes - filled);
        batch.set(copied, filled);
        filled += copied.length;
        from += copied.length;
      }
    }
    yield { bytes: filled === batchBytes ? batch : batch.slice(0, filled), isLast: true };
  } finally {
    reader.releaseLock();
  }
}

/** Decrypts the chunks of a file in order, and passes on each before the next is read. Fails with DecryptionError, or with the error of the source. */
export function decryptChunks(source: ReadableStream<Uint8Array>, secrets: ChunkSecrets): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader();
  const batches = splitBatches(reader, 1);
  const cipher = createFileCipher(secrets);
  let number = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await batches.next();
        if (done) return controller.close();
        const opened = await openChunks(await cipher, { number, bytes: value.bytes, isEnd: value.isLast });
        number += 1;
        // An empty file has an empty chunk.
        if (opened.length > 0) controller.enqueue(opened);
        else if (value.isLast) controller.close();
      },
      async cancel(reason) {
        // This ends a pending read, for which the batches would wait.
        await reader.cancel(reason).catch(() => undefined);
        await batches.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
