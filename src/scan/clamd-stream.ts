import { type ClamdConnection, type ClamdEnd, type ClamdLink, openConnection } from "./clamd-connection.ts";

/** What clamd answered to one stream of bytes. */
export type StreamOutcome =
  | { readonly kind: "clean" }
  | { readonly kind: "found"; readonly signature: string }
  /** Its `StreamMaxLength` is smaller than this stream. */
  | { readonly kind: "refused" }
  /** It could not look at these bytes, and will not the next time. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string }
  /** The connection broke under way without an answer: it died, or its refusal was lost with the bytes that it had not read. */
  | { readonly kind: "lost"; readonly reason: string };

/** One INSTREAM of a known length. Nothing here rejects. */
export interface ClamdStream {
  /** False where clamd has made up its mind already: no need to send more. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Ends the stream, whose announced bytes must have been written all, and waits for the verdict. */
  finish(): Promise<StreamOutcome>;
  close(): void;
}

/** Waits this long for a refusal before the first byte, where one may have been lost the time before. */
const REFUSAL_WAIT_MS = 500;
const COMMAND = new TextEncoder().encode("zINSTREAM\0");

/**
 * Opens a stream of exactly `sizeBytes` as one chunk: clamd holds a chunk's length against its limit when it reads the header, so that
 * a refusal comes at once. `pace: "careful"` lets it come before any byte is under way.
 */
export async function openStream(link: ClamdLink, sizeBytes: number, pace: "eager" | "careful" = "eager"): Promise<ClamdStream> {
  const connection = await openConnection(link);
  if ("failure" in connection) return closedStream({ kind: "unreachable", reason: `clamd cannot be reached (${connection.failure})` });
  await connection.write(COMMAND);
  // A chunk of length 0 would be the end of the stream.
  if (sizeBytes > 0) await connection.write(chunkHeader(sizeBytes));
  if (pace === "careful") await connection.end(REFUSAL_WAIT_MS);
  return {
    write: (bytes) => connection.write(bytes),
    finish: () => finishStream(connection),
    close: () => connection.close(),
  };
}

async function finishStream(connection: ClamdConnection): Promise<StreamOutcome> {
  await connection.write(chunkHeader(0));
  const end = await connection.end();
  connection.close();
  return end ? toOutcome(end) : { kind: "lost", reason: "no answer" };
}

function closedStream(outcome: StreamOutcome): ClamdStream {
  return { write: async () => false, finish: async () => outcome, close: () => {} };
}

function chunkHeader(sizeBytes: number): Uint8Array {
  const header = new Uint8Array(4);
  new DataView(header.buffer).setUint32(0, sizeBytes);
  return header;
}

function toOutcome(end: ClamdEnd): StreamOutcome {
  if (end.kind === "timeout") return { kind: "unreachable", reason: `clamd: ${end.reason}` };
  if (end.kind === "broken") return { kind: "lost", reason: `clamd broke the connection (${end.reason})` };
  return parseReply(end.text);
}

/** Reads clamd's answer to INSTREAM (without its terminator). */
export function parseReply(text: string): StreamOutcome {
  if (text === "stream: OK") return { kind: "clean" };
  const signature = /^stream: (.+) FOUND$/s.exec(text)?.[1];
  if (signature !== undefined) {
    // With `AlertExceedsMax` this is how it says that it did not look (`(null)` in 0.105), not that it found something.
    const skipped = signature === "(null)" || signature.startsWith("Heuristics.Limits.Exceeded");
    return skipped ? { kind: "failed", reason: `clamd did not look at all of it: ${signature}` } : { kind: "found", signature };
  }
  if (/size limit exceeded/i.test(text)) return { kind: "refused" };
  const reason = `clamd answered: ${text.slice(0, 200)}`;
  return TRANSIENT.test(text) ? { kind: "unreachable", reason } : { kind: "failed", reason };
}

/** Troubles of clamd itself, that are nothing of these bytes' doing. */
const TRANSIENT = /READ TIMED OUT|temporary (file|dir)|allocate memory|out of memory|no space|exceeded max.*queue|too many|shutting down/i;
