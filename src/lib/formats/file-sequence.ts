/**
 * Several files as one stream, for the page that decrypts them: for each file, the length of its facts (four bytes, little-endian), its facts as JSON,
 * and its bytes. Unlike in a ZIP, the size of a file always precedes its bytes.
 */

/** What precedes the bytes of a file. */
export interface SequencedFile {
  /** The file's path in its share. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly isEncrypted: boolean;
  readonly modifiedMs: number;
  readonly isExecutable: boolean;
}

const LENGTH_BYTES = 4;
/** More than the facts of any file have. */
const MAX_FACTS_BYTES = 64 * 1024;

/** Returns the bytes before those of a file. */
export function toSequenceHead(file: SequencedFile): Uint8Array<ArrayBuffer> {
  const facts = new TextEncoder().encode(JSON.stringify(file));
  const head = new Uint8Array(LENGTH_BYTES + facts.length);
  new DataView(head.buffer).setUint32(0, facts.length, true);
  head.set(facts, LENGTH_BYTES);
  return head;
}

export interface ReadFile extends SequencedFile {
  /** The bytes of the file, which must be read to their end before the next file. */
  readonly body: ReadableStream<Uint8Array>;
}

/** Reads the files of a stream in order. Throws if the stream ends within a file, and the error of the stream. */
export async function* readSequence(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<ReadFile> {
  let held: Uint8Array = new Uint8Array();
  const ended = (): Error => new Error("The stream ends within a file");
  /** Takes up to so many bytes; undefined at the end. */
  const take = async (bytes: number): Promise<Uint8Array | undefined> => {
    while (held.length === 0) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      held = value;
    }
    const taken = held.subarray(0, bytes);
    held = held.subarray(taken.length);
    return taken;
  };
  const takeAll = async (bytes: number): Promise<Uint8Array | undefined> => {
    const whole = new Uint8Array(bytes);
    for (let filled = 0; filled < bytes; ) {
      const part = await take(bytes - filled);
      if (part === undefined && filled === 0) return undefined;
      if (part === undefined) throw ended();
      whole.set(part, filled);
      filled += part.length;
    }
    return whole;
  };
  for (let length = await takeAll(LENGTH_BYTES); length !== undefined; length = await takeAll(LENGTH_BYTES)) {
    const factsBytes = new DataView(length.buffer, length.byteOffset).getUint32(0, true);
    const facts = factsBytes > MAX_FACTS_BYTES ? undefined : await takeAll(factsBytes);
    if (facts === undefined) throw ended();
    const file = JSON.parse(new TextDecoder().decode(facts)) as SequencedFile;
    let left = file.sizeBytes;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const part = left === 0 ? undefined : await take(left);
          if (part === undefined && left > 0) throw ended();
          if (part === undefined) return controller.close();
          left -= part.length;
          controller.enqueue(part);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    yield { ...file, body };
    if (left > 0) throw new Error("The file was not read to its end");
  }
}
