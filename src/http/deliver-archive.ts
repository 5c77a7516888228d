import { create as contentDisposition } from "content-disposition";
import type { Ctx } from "../context.ts";
import { archiveNames } from "../domain/archive-names.ts";
import { type Archive, type ArchiveFile, openArchive } from "../operations/archives/open-archive.ts";
import { writeZip, zipLength } from "../operations/archives/zip.ts";
import { toCall } from "./call.ts";
import { COLLECT_BYTES, collect } from "./collect.ts";
import type { HttpContext } from "./env.ts";

/** `GET` and `HEAD` of an archive's signed address: one streamed ZIP, stored, of exactly announced length. */
export async function deliverArchive(ctx: Ctx, c: HttpContext): Promise<Response> {
  const call = await toCall(ctx, c, "archive", { uncounted: true });
  const isHead = c.req.method === "HEAD";
  const shortId = (c.req.param("archive") ?? "").replace(/\.zip$/, "");
  const archive = await openArchive(ctx, call, { shortId, query: new URL(c.req.url).searchParams, isHead });
  const names = archiveNames(archive.files.map(({ file }) => file));
  const sentBytes = new Map<ArchiveFile, number>();
  const members = archive.files.map((opened, index) => ({
    name: names[index] ?? opened.file.name,
    sizeBytes: opened.file.size_bytes,
    modifiedMs: opened.file.created_at,
    read: () => readCounted(ctx, opened, sentBytes),
  }));
  const length = zipLength(members);
  const headers = archiveHeaders(archive, String(length));
  if (isHead) return new Response(null, { headers });
  c.env.peer.allowSilence();
  followFiles(c, archive.files, sentBytes);
  const zip = toStream(writeZip(members));
  return new Response(length <= COLLECT_BYTES ? await collect(zip, length) : zip, { headers });
}

function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/** When the answer has ended, well or not, each file's tracker hears what was handed on of it. */
function followFiles(c: HttpContext, files: readonly ArchiveFile[], sentBytes: ReadonlyMap<ArchiveFile, number>): void {
  const tracked = files.filter(({ tracker }) => tracker !== undefined);
  if (tracked.length === 0) return;
  c.env.peer
    .sent()
    .then(async (whole) => {
      for (const opened of tracked) await settle(opened, { sentBytes: sentBytes.get(opened) ?? 0, whole });
    })
    .catch((error: unknown) => c.env.log.error({ err: error }, "recording a delivery failed"));
}

async function settle({ file, tracker }: ArchiveFile, { sentBytes, whole }: { sentBytes: number; whole: boolean }): Promise<void> {
  const isWhole = whole && sentBytes === file.size_bytes;
  if (tracker && (isWhole || tracker.countsBytes)) await tracker.sent({ span: { start: 0, end: sentBytes }, whole: isWhole });
}

async function* readCounted(ctx: Ctx, opened: ArchiveFile, sentBytes: Map<ArchiveFile, number>): AsyncGenerator<Uint8Array> {
  for await (const chunk of ctx.blobs.read(opened.file.blob_key)) {
    sentBytes.set(opened, (sentBytes.get(opened) ?? 0) + chunk.length);
    yield chunk;
  }
}

function archiveHeaders({ share }: Archive, length: string): Headers {
  return new Headers({
    "Content-Type": "application/zip",
    "Content-Length": length,
    "Content-Disposition": contentDisposition(`${share.name}-${share.short_id}.zip`, { type: "attachment" }),
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
  });
}
