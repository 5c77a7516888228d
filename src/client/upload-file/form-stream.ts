import { newRandomId } from "../../transfer/retry.ts";
import { COPIES_CHUNKS } from "../server/send.ts";

/** A field of a form, or a file whose bytes are read when it is sent. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly fileName: string; readonly bytes: Uint8Array | AsyncIterable<Uint8Array> };

export interface StreamedForm {
  readonly contentType: string;
  readonly body: ReadableStream<Uint8Array>;
  /** Closes the sources of the parts, because a refused or broken request does not close its body. */
  close(): void;
}

/** The size up to which smaller writes are joined, because each costs a packet. */
const JOINED_BYTES = 256 * 1024;

const encoder = new TextEncoder();

/** Creates a `multipart/form-data` body while it is sent: of any size, in constant memory. */
export function streamForm(parts: AsyncIterable<FormPart> | Iterable<FormPart>): StreamedForm {
  const boundary = `----filehost${newRandomId()}`;
  const chunks = joinSmall(writeForm(parts, boundary));
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body,
    // The close does not wait, because input that nobody writes would be read until the process ends.
    close: () => void chunks.return(undefined).catch(() => undefined),
  };
}

async function* writeForm(parts: AsyncIterable<FormPart> | Iterable<FormPart>, boundary: string): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"`;
    if ("value" in part) {
      yield encoder.encode(`${disposition}\r\n\r\n${part.value}\r\n`);
      continue;
    }
    yield encoder.encode(`${disposition}; filename="${quote(part.fileName)}"\r\nContent-Type: application/octet-stream\r\n\r\n`);
    if (part.bytes instanceof Uint8Array) yield part.bytes;
    else yield* part.bytes;
    yield encoder.encode("\r\n");
  }
  yield encoder.encode(`--${boundary}--\r\n`);
}

/** Writes a name in a form as browsers do. */
const quote = (name: string): string => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

async function* joinSmall(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let joined = new Uint8Array(JOINED_BYTES);
  let other = joined;
  let filled = 0;
  for await (const chunk of chunks) {
    if (filled > 0 && filled + chunk.length > JOINED_BYTES) {
      yield joined.subarray(0, filled);
      // The runtime may still read the buffer that it got.
      const next = COPIES_CHUNKS && other !== joined ? other : new Uint8Array(JOINED_BYTES);
      [joined, other] = [next, joined];
      filled = 0;
    }
    if (chunk.length > JOINED_BYTES) yield chunk;
    else {
      joined.set(chunk, filled);
      filled += chunk.length;
    }
  }
  if (filled > 0) yield joined.subarray(0, filled);
}
