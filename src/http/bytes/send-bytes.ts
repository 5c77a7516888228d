import { runtime } from "#runtime";
import { evaluatePreconditions, isRangeCurrent, type Preconditions } from "../../lib/http/preconditions.ts";
import { parseRange } from "../../lib/http/range.ts";
import { createChunkMemory } from "../../lib/system/chunk-memory.ts";
import type { RequestedBytes } from "../../service/downloads/open-download.ts";
import type { DownloadableFile } from "../../service/downloads/queries.ts";
import type { DownloadTracker } from "../../service/downloads/track-download.ts";
import { HttpError } from "../responding/http-error.ts";
import { bufferStream, MAX_BUFFERED_BYTES } from "../responding/respond.ts";
import { TRANSFER_IDLE_SECONDS } from "../routing/connection-watch.ts";
import type { HttpContext } from "../routing/env.ts";

/** The selected bytes. `span` is the whole file for 200 and one range for 206; it is unused for 304 and 412. */
export interface HttpSelection extends RequestedBytes {
  readonly status: 200 | 206 | 304 | 412;
}

/** Selects the whole file, or the requested range if `If-Range` matches. Throws RANGE_NOT_SATISFIABLE. */
export function selectBytes(c: HttpContext, conditions: Preconditions, file: DownloadableFile): HttpSelection {
  const whole = { start: 0, end: file.size_bytes };
  const current = { etag: etagOf(file), modifiedMs: lastModifiedMs(file) };
  const outcome = evaluatePreconditions(conditions, current);
  if (outcome !== "met") return { status: outcome === "refused" ? 412 : 304, span: whole, isBodyless: true };
  const isBodyless = c.req.method === "HEAD";
  if (!isRangeCurrent(c.req.header("if-range"), current)) return { status: 200, span: whole, isBodyless };
  const range = parseRange(c.req.header("range"), file.size_bytes);
  if (range.kind === "partial") return { status: 206, span: range.span, isBodyless };
  if (range.kind === "whole") return { status: 200, span: whole, isBodyless };
  throw new HttpError("RANGE_NOT_SATISFIABLE", `The range is not within the file's ${file.size_bytes} bytes. Request another range.`, {
    headers: { "Content-Range": `bytes */${file.size_bytes}` },
  });
}

/** Returns a strong entity tag, because the bytes of a file never change. */
export const etagOf = (file: DownloadableFile): string => `"${file.id}"`;

/** Returns the time of the last change in whole seconds, which is the precision of HTTP dates. */
const lastModifiedMs = (file: DownloadableFile): number => Math.floor(file.created_at / 1000) * 1000;

/** Creates the error for a failed `If-Match` or `If-Unmodified-Since`. `etag` is the current tag, if there is one. */
export const preconditionFailed = (etag?: string): HttpError =>
  new HttpError(
    "PRECONDITION_FAILED",
    "Precondition failed: the file does not match If-Match or If-Unmodified-Since. Send the request without it.",
    { headers: etag === undefined ? {} : { ETag: etag } },
  );

/** Returns the headers of a file's bytes for any purpose. `disposition` is the value of `Content-Disposition`. */
export function bytesHeaders(file: DownloadableFile, { status, span }: HttpSelection, disposition: string): Headers {
  const headers = new Headers({
    "Content-Type": file.content_type,
    "Content-Length": String(span.end - span.start),
    "Content-Disposition": disposition,
    "Accept-Ranges": "bytes",
    ETag: etagOf(file),
    "Last-Modified": new Date(lastModifiedMs(file)).toUTCString(),
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
  });
  if (status === 304) for (const name of ["Content-Type", "Content-Length", "Content-Disposition"]) headers.delete(name);
  if (status === 206) headers.set("Content-Range", `bytes ${span.start}-${span.end - 1}/${file.size_bytes}`);
  if (file.sha256 !== null) headers.set("Repr-Digest", `sha-256=:${Buffer.from(file.sha256, "hex").toString("base64")}:`);
  return headers;
}

interface SentBytes {
  readonly file: DownloadableFile;
  readonly selection: HttpSelection;
  readonly headers: Headers;
  /** The recorder of sent bytes; undefined if nobody can query them, which permits sendfile. */
  readonly tracker?: DownloadTracker | undefined;
}

/** Sends the selected bytes through this server: by sendfile if they are on the disk and no record of them is needed. */
export async function sendBytes(c: HttpContext, sent: SentBytes): Promise<Response> {
  const { file, headers, tracker } = sent;
  const { status, span } = sent.selection;
  const path = tracker?.countsBytes ? undefined : c.env.ctx.blobs.localPath(file.blob_key);
  if (path !== undefined) {
    const range = status === 206 ? span : undefined;
    const response = await runtime.fileResponse(path, { status, headers, sizeBytes: file.size_bytes, range }).catch(() => undefined);
    if (response !== undefined) {
      if (tracker) recordWhenSent(c, (isComplete) => (isComplete ? tracker.record({ span, isComplete }) : undefined));
      return response;
    }
    // A file that cannot be opened is read below, because the store's error says what is missing.
  }
  c.env.responseIdleSeconds = TRANSFER_IDLE_SECONDS;
  const isSmall = span.end - span.start <= MAX_BUFFERED_BYTES;
  return new Response(await (isSmall ? readBuffered : stream)(c, sent), { status, headers });
}

/** Reads the whole span into memory. On a broken transfer, all but the last byte count as sent, because the runtime does not report the number. */
async function readBuffered(c: HttpContext, { file, selection: { span }, tracker }: SentBytes): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await bufferStream(c.env.ctx.blobs.read(file.blob_key, { range: span }), span.end - span.start);
  if (tracker) {
    tracker.markWritten?.();
    recordWhenSent(c, (isComplete) => tracker.record({ span, isComplete }));
  }
  return bytes;
}

/** Streams the span, and records how much of it was written to the socket. */
async function stream(c: HttpContext, { file, selection: { span }, tracker }: SentBytes): Promise<ReadableStream<Uint8Array>> {
  const chunks = c.env.ctx.blobs.read(file.blob_key, { range: span, memory: createChunkMemory() })[Symbol.asyncIterator]();
  let end = span.start;
  if (tracker) recordWhenSent(c, (isComplete) => tracker.record({ span: { start: span.start, end }, isComplete }));
  // Reads the first chunk before the response starts, so that a failing store causes an error response and not a broken one.
  let first: IteratorResult<Uint8Array> | undefined = await chunks.next();
  const counted: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => counted,
    async next() {
      const next = first ?? (await chunks.next());
      first = undefined;
      if (next.done) tracker?.markWritten?.();
      else end += next.value.length;
      return next;
    },
    return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
  };
  return runtime.streamBody(counted, c.req.raw.signal);
}

/** Calls `record` when the response has ended, completely or not, without a delay of the response. */
export function recordWhenSent(c: HttpContext, record: (isComplete: boolean) => Promise<void> | undefined): void {
  c.env.peer
    .whenSent()
    .then(record)
    .catch((error: unknown) => c.env.log.error({ err: error }, "recording a download failed"));
}
