import { type ClamdConnection, type ClamdEnd, type ClamdTarget, connectToClamd } from "./connection.ts";

/** clamd's response to one stream. */
export type StreamOutcome =
  | { readonly kind: "clean" }
  | { readonly kind: "found"; readonly signature: string }
  /** The `StreamMaxLength` of clamd is smaller than the stream. */
  | { readonly kind: "refused" }
  /** clamd cannot scan these bytes, now or later. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string }
  /** The connection broke without a response: clamd stopped, or its refusal was lost along with unread bytes. */
  | { readonly kind: "lost"; readonly reason: string };

/** One INSTREAM of a known length. Never rejects. */
export interface ClamdStream {
  /** Writes bytes. Resolves to false once clamd has responded, after which the caller sends no more. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Ends the stream, whose bytes must all have been written, and waits for the verdict. */
  finish(): Promise<StreamOutcome>;
  close(): void;
}

/** Wait for a refusal before the first byte, if one may have been lost on the previous attempt. */
const REFUSAL_WAIT_MS = 500;
const COMMAND = new TextEncoder().encode("zINSTREAM\0");

/**
 * Opens a stream of exactly `sizeBytes` as one chunk: clamd checks a chunk's length in its header, so it refuses immediately. The mode `careful`
 * waits for a refusal before it sends bytes.
 */
export async function openStream(target: ClamdTarget, sizeBytes: number, mode: "eager" | "careful" = "eager"): Promise<ClamdStream> {
  const connection = await connectToClamd(target);
  if ("failure" in connection) return closedStream({ kind: "unreachable", reason: `clamd cannot be reached (${connection.failure})` });
  await connection.write(COMMAND);
  // A chunk of length 0 would end the stream.
  if (sizeBytes > 0) await connection.write(chunkHeader(sizeBytes));
  if (mode === "careful") await connection.waitForEnd(REFUSAL_WAIT_MS);
  return {
    write: (bytes) => connection.write(bytes),
    finish: () => finishStream(connection),
    close: () => connection.close(),
  };
}

async function finishStream(connection: ClamdConnection): Promise<StreamOutcome> {
  await connection.write(chunkHeader(0));
  const end = await connection.waitForEnd();
  connection.close();
  return end ? toOutcome(end) : { kind: "lost", reason: "no response" };
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
  return parseScanReply(end.text);
}

/** Parses clamd's response to INSTREAM (without its terminator). */
export function parseScanReply(text: string): StreamOutcome {
  if (text === "stream: OK") return { kind: "clean" };
  const signature = /^stream: (.+) FOUND$/s.exec(text)?.[1];
  if (signature !== undefined) {
    // With `AlertExceedsMax`, clamd reports in this way (as `(null)` in 0.105) that it skipped bytes, not that it found malware.
    const skipped = signature === "(null)" || signature.startsWith("Heuristics.Limits.Exceeded");
    return skipped ? { kind: "failed", reason: `clamd did not scan the whole file: ${signature}` } : { kind: "found", signature };
  }
  if (/size limit exceeded/i.test(text)) return { kind: "refused" };
  const reason = `clamd responded: ${text.slice(0, 200)}`;
  return TRANSIENT.test(text) ? { kind: "unreachable", reason } : { kind: "failed", reason };
}

/** Errors of clamd that do not depend on the bytes. */
const TRANSIENT = /READ TIMED OUT|temporary (file|dir)|allocate memory|out of memory|no space|exceeded max.*queue|too many|shutting down/i;
