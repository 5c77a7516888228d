import { create as contentDisposition } from "content-disposition";
import { runtime } from "#runtime";
import { createChunkMemory } from "../chunk-memory.ts";
import type { Ctx } from "../context.ts";
import { wantsTheseAlone } from "../domain/preconditions.ts";
import { awaitsCompletion } from "../operations/downloads/awaits-completion.ts";
import { type Delivery, etagOf, lastModifiedMs, openDelivery, preconditionFailed } from "../operations/downloads/open-delivery.ts";
import type { DeliveryTracker, SentBytes } from "../operations/downloads/track-delivery.ts";
import { toCall } from "./call.ts";
import { COLLECT_BYTES, collect } from "./collect.ts";
import { conditionsOf } from "./conditions-of.ts";
import type { HttpContext } from "./env.ts";
import { TRANSFER_IDLE_SECONDS } from "./idle-times.ts";
import { isPrefetch } from "./prefetch.ts";

/** `GET` and `HEAD` of a signed address: the bytes, never with this site's authority (decisions, "Downloads"). */
export async function deliver(ctx: Ctx, c: HttpContext): Promise<Response> {
  const call = await toCall(ctx, c, "signed", { uncounted: true });
  const isHead = c.req.method === "HEAD";
  const conditions = conditionsOf(c);
  const delivery = await openDelivery(ctx, call, {
    fileId: c.req.param("fileId") ?? "",
    query: queryOf(c.req.url),
    isHead,
    isPrefetch: isPrefetch(c),
    range: c.req.header("range") ?? null,
    ifRange: c.req.header("if-range") ?? null,
    ...conditions,
  });
  const headers = deliveryHeaders(delivery);
  const { status, span } = delivery;
  if (status === 412) return await refuse(ctx, delivery, { isHead });
  if (isHead || status === 304) return new Response(null, { status, headers });
  const { tracker } = delivery;
  // The store has other tags and times for the bytes, against which it would hold what has been judged here.
  const staysHere = tracker?.countsBytes === true || wantsTheseAlone(conditions);
  const elsewhere = staysHere ? undefined : await presign(ctx, delivery);
  if (elsewhere !== undefined) return redirectTo(elsewhere);
  const path = tracker?.countsBytes ? undefined : ctx.blobs.localPath(delivery.file.blob_key);
  if (path === undefined) {
    c.env.answerIdleSeconds = TRANSFER_IDLE_SECONDS;
    const isSmall = span.end - span.start <= COLLECT_BYTES;
    return new Response(await (isSmall ? handOnWhole : handOn)(ctx, c, delivery), { status, headers });
  }
  if (tracker)
    follow(
      c,
      tracker,
      c.env.peer.sent().then((whole) => (whole ? { span, whole } : undefined)),
    );
  return await runtime.fileResponse(path, {
    status,
    headers,
    sizeBytes: delivery.file.size_bytes,
    range: status === 206 ? span : undefined,
  });
}

/** The tag or time may be one that the client has from the store, where it was sent before: then the store judges. */
async function refuse(ctx: Ctx, delivery: Delivery, { isHead }: { isHead: boolean }): Promise<Response> {
  const elsewhere = isHead ? undefined : await presign(ctx, delivery);
  if (elsewhere === undefined) throw preconditionFailed(etagOf(delivery.file));
  return redirectTo(elsewhere);
}

/** Without the rest of the address, whose parsing costs more than all else here. */
const queryOf = (url: string): URLSearchParams => new URLSearchParams(url.slice(url.indexOf("?") + 1));

/** Tells the tracker when the answer has ended; the client need not wait for that. */
function follow(c: HttpContext, tracker: DeliveryTracker, ended: Promise<SentBytes | undefined>): void {
  ended
    .then((sent) => sent && tracker.sent(sent))
    .catch((error: unknown) => c.env.log.error({ err: error }, "recording a delivery failed"));
}

function deliveryHeaders({ file, status, span }: Delivery): Headers {
  const headers = new Headers({
    "Content-Type": file.content_type,
    "Content-Length": String(span.end - span.start),
    "Content-Disposition": dispositionOf(file),
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

/** All bytes at once. Where their way breaks, all count as sent but the last: nobody can tell how far they came. */
async function handOnWhole(ctx: Ctx, c: HttpContext, { file, span, tracker }: Delivery): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await collect(ctx.blobs.read(file.blob_key, { range: span }), span.end - span.start);
  if (tracker) {
    tracker.handedOn?.();
    follow(
      c,
      tracker,
      c.env.peer.sent().then((whole) => ({ span, whole })),
    );
  }
  return bytes;
}

const dispositionOf = (file: Delivery["file"]): string => contentDisposition(file.name, { type: "attachment" });

/** An address of the store's own for these bytes; undefined where there is none, or where somebody wants to hear how the transfer ended. */
async function presign(ctx: Ctx, { file }: Delivery): Promise<string | undefined> {
  if (!ctx.blobs.presignRead || (await awaitsCompletion(ctx, file))) return undefined;
  return await ctx.blobs.presignRead(file.blob_key, { contentType: file.content_type, contentDisposition: dispositionOf(file) });
}

function redirectTo(url: string): Response {
  const headers = { Location: url, "Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer" };
  return new Response(null, { status: 302, headers });
}

/** The bytes in order; what was handed to the network, and whether it went through, is told to the tracker. */
async function handOn(ctx: Ctx, c: HttpContext, { file, span, tracker }: Delivery): Promise<ReadableStream<Uint8Array>> {
  const chunks = ctx.blobs.read(file.blob_key, { range: span, memory: createChunkMemory() })[Symbol.asyncIterator]();
  let end = span.start;
  if (tracker)
    follow(
      c,
      tracker,
      c.env.peer.sent().then((whole) => ({ span: { start: span.start, end }, whole })),
    );
  // A store that does not give them is an answer of its own, not a broken one.
  let first: IteratorResult<Uint8Array> | undefined = await chunks.next();
  const counted: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => counted,
    async next() {
      const next = first ?? (await chunks.next());
      first = undefined;
      if (next.done) tracker?.handedOn?.();
      else end += next.value.length;
      return next;
    },
    return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
  };
  return runtime.streamBody(counted, c.req.raw.signal);
}
