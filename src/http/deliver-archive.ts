import { create as contentDisposition } from "content-disposition";
import { runtime } from "#runtime";
import { type ChunkMemory, createChunkMemory } from "../chunk-memory.ts";
import type { Ctx } from "../context.ts";
import { archiveNames } from "../domain/archive-names.ts";
import { judgeConditions } from "../domain/preconditions.ts";
import { type Archive, openArchive } from "../operations/archives/open-archive.ts";
import type { SentFile } from "../operations/archives/track-archive.ts";
import { writeZip, zipLength } from "../operations/archives/zip.ts";
import { preconditionFailed } from "../operations/downloads/open-delivery.ts";
import { toCall } from "./call.ts";
import { COLLECT_BYTES, collect } from "./collect.ts";
import { conditionsOf } from "./conditions-of.ts";
import type { HttpContext } from "./env.ts";
import { TRANSFER_IDLE_SECONDS } from "./idle-times.ts";

/** `GET` and `HEAD` of an archive's signed address: one streamed ZIP, stored, of exactly announced length. */
export async function deliverArchive(ctx: Ctx, c: HttpContext): Promise<Response> {
  const call = await toCall(ctx, c, "archive", { uncounted: true });
  const isHead = c.req.method === "HEAD";
  const shortId = (c.req.param("archive") ?? "").replace(/\.zip$/, "");
  // It is made as it is sent, and has neither tag nor time.
  const isRefused = judgeConditions(conditionsOf(c), { etag: null, modifiedMs: null }) === "refused";
  const archive = await openArchive(ctx, call, { shortId, query: new URL(c.req.url).searchParams, isHead: isHead || isRefused });
  if (isRefused) throw preconditionFailed();
  const names = archiveNames(archive.files);
  const sent = new Map<string, SentFile>();
  const memory = createChunkMemory();
  const members = archive.files.map((file, index) => ({
    name: names[index] ?? file.name,
    sizeBytes: file.size_bytes,
    modifiedMs: file.created_at,
    read: () => readCounted(ctx, file, { sent, memory }),
  }));
  const length = zipLength(members);
  const headers = archiveHeaders(archive, String(length));
  if (isHead) return new Response(null, { headers });
  c.env.peer.setIdleTimeout(0);
  follow(c, archive, sent);
  const zip = writeZip(members);
  if (length <= COLLECT_BYTES) {
    c.env.answerIdleSeconds = TRANSFER_IDLE_SECONDS;
    return new Response(await collectZip(c, zip, { length, sent }), { headers });
  }
  c.env.answerIdleSeconds = 0;
  return new Response(runtime.streamBody(thenLimited(c, zip), c.req.raw.signal), { headers });
}

/** The archive may wait for its store; what comes after it on the connection may not. */
async function* thenLimited(c: HttpContext, zip: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* zip;
  } finally {
    c.env.peer.setIdleTimeout(TRANSFER_IDLE_SECONDS);
  }
}

/** A small archive at once. What was read for an answer that does not come, or that nobody waits for any more, was not sent. */
async function collectZip(
  c: HttpContext,
  zip: AsyncGenerator<Uint8Array>,
  { length, sent }: { length: number; sent: Map<string, SentFile> },
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await collect(zip, length);
    if (c.req.raw.signal.aborted) sent.clear();
    return bytes;
  } catch (error) {
    sent.clear();
    throw error;
  }
}

/** When the answer has ended, well or not, the tracker hears what was handed on of each file. */
function follow(c: HttpContext, { tracker }: Archive, sent: ReadonlyMap<string, SentFile>): void {
  if (!tracker) return;
  c.env.peer
    .sent()
    .then((whole) => tracker.ended(sent, whole))
    .catch((error: unknown) => c.env.log.error({ err: error }, "recording a delivery failed"));
}

async function* readCounted(
  ctx: Ctx,
  file: Archive["files"][number],
  { sent, memory }: { sent: Map<string, SentFile>; memory: ChunkMemory },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  sent.set(file.id, { bytes, whole: file.size_bytes === 0 });
  for await (const chunk of ctx.blobs.read(file.blob_key, { memory })) {
    bytes += chunk.length;
    sent.set(file.id, { bytes, whole: false });
    yield chunk;
    // Whoever asks for more has the last of it.
    sent.set(file.id, { bytes, whole: bytes === file.size_bytes });
  }
}

function archiveHeaders({ share }: Archive, length: string): Headers {
  return new Headers({
    "Content-Type": "application/zip",
    "Content-Length": length,
    "Content-Disposition": contentDisposition(`${share.name}-${share.short_id}.zip`, { type: "attachment" }),
    "Accept-Ranges": "none",
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
  });
}
