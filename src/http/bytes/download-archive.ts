import { crc32 } from "node:zlib";
import { runtime } from "#runtime";
import type { Ctx } from "../../context.ts";
import { archiveName, archiveNames } from "../../lib/formats/archive-names.ts";
import { type SequencedFile, toSequenceHead } from "../../lib/formats/file-sequence.ts";
import { writeZip, type ZipEntry, zipLength } from "../../lib/formats/zip.ts";
import { evaluatePreconditions } from "../../lib/http/preconditions.ts";
import { type ChunkMemory, createChunkMemory } from "../../lib/system/chunk-memory.ts";
import { pathInShare } from "../../lib/text/relative-path.ts";
import type { ShownArchive } from "../../service/downloads/authorize-archive.ts";
import { type ArchiveTracker, openArchive, type SentFile } from "../../service/downloads/open-archive.ts";
import { type OwnArchive, openOwnArchive } from "../../service/downloads/own-archive.ts";
import { identifyCaller } from "../callers/caller.ts";
import { readConditions } from "../reading/request-headers.ts";
import { bufferStream, MAX_BUFFERED_BYTES } from "../responding/respond.ts";
import { TRANSFER_IDLE_SECONDS } from "../routing/connection-watch.ts";
import type { HttpContext } from "../routing/env.ts";
import { contentDisposition } from "./content-disposition.ts";
import { signedQuery } from "./download.ts";
import { preconditionFailed, recordWhenSent } from "./send-bytes.ts";

/**
 * Handles `GET` and `HEAD` of the signed URL of a share's archive: one streamed ZIP, uncompressed. `HEAD` has its exact `Content-Length` (downloads,
 * "Archives").
 */
export async function sendArchive(c: HttpContext): Promise<Response> {
  const call = await identifyCaller(c, "archive", { isUncounted: true });
  const request = readRequest(c);
  const { isHead, isRefused } = request;
  const { share, files, tracker } = await openArchive(c.env.ctx, call, {
    shortId: request.id,
    query: request.query,
    isHead: isHead || isRefused,
  });
  const names = archiveNames(files);
  return await sendZip(c, { name: archiveName(share, names), files, names, tracker }, request);
}

/** Handles `GET` and `HEAD` of the signed URL of an account's archive, like `sendArchive` for a share's archive. */
export async function sendOwnArchive(c: HttpContext): Promise<Response> {
  await identifyCaller(c, "archive", { isUncounted: true });
  const request = readRequest(c);
  const archive = await openOwnArchive(c.env.ctx, request);
  return await sendZip(c, { ...archive, names: archiveNames(archive.files), tracker: undefined }, request);
}

interface ArchiveRequest {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly isHead: boolean;
  readonly isRefused: boolean;
}

const readRequest = (c: HttpContext): ArchiveRequest => ({
  id: (c.req.param("archive") ?? "").replace(/\.zip$/, ""),
  query: c.env.url.searchParams,
  isHead: c.req.method === "HEAD",
  // An archive is made for each response and has neither a tag nor a date.
  isRefused: evaluatePreconditions(readConditions(c), { etag: null, modifiedMs: null }) === "refused",
});

type ZippedFile = OwnArchive["files"][number];

interface ZippedFiles extends OwnArchive {
  /** The name of each file in the archive. */
  readonly names: readonly string[];
  readonly tracker: ArchiveTracker | undefined;
}

/** Returns the headers of a share's archive, as its signed URL sends them. */
export async function respondArchiveHeaders({ share, files }: ShownArchive): Promise<Response> {
  const names = archiveNames(files);
  const length = zipLength(files.map((file, index) => toEntry(file, names[index])));
  return new Response(null, { headers: await archiveHeaders(archiveName(share, names), String(length)) });
}

async function sendZip(c: HttpContext, archive: ZippedFiles, { isHead, isRefused }: ArchiveRequest): Promise<Response> {
  if (isRefused) throw preconditionFailed();
  const { name, files, names, tracker } = archive;
  const sending = createSending(c);
  const members = files.map((file, index) => ({ ...toEntry(file, names[index]), read: () => sending.read(file) }));
  const length = zipLength(members);
  const headers = await archiveHeaders(name, String(length));
  if (isHead) return new Response(null, { headers });
  return await sending.respond(writeZip(members, crc32), { headers, length, tracker });
}

/**
 * Sends the files of a share's archive one after another, as `file-sequence.ts` says, in response to another request: the page that asks decrypts them,
 * and writes its own ZIP. They count as those of the ZIP do. Throws as `sendArchive` does.
 */
export async function sendArchivedFiles(
  c: HttpContext,
  { shortId, url }: { readonly shortId: string; readonly url: string },
): Promise<Response> {
  const call = await identifyCaller(c, "archive", { isUncounted: true });
  const { files, tracker } = await openArchive(c.env.ctx, call, { shortId, query: signedQuery(url), isHead: false });
  return await sendSequence(c, files, tracker);
}

/** Sends the files of an account's archive like `sendArchivedFiles`. */
export async function sendOwnArchivedFiles(c: HttpContext, url: string): Promise<Response> {
  const [, id = ""] = /\/([^/]+)\.zip$/.exec(new URL(url).pathname) ?? [];
  const { files } = await openOwnArchive(c.env.ctx, { id, query: signedQuery(url) });
  return await sendSequence(c, files, undefined);
}

async function sendSequence(c: HttpContext, files: readonly ZippedFile[], tracker: ArchiveTracker | undefined): Promise<Response> {
  const sending = createSending(c);
  const parts = files.map((file) => ({ file, head: toSequenceHead(toSequenced(file)) }));
  const length = parts.reduce((sum, { file, head }) => sum + head.length + file.size_bytes, 0);
  const headers = await archiveHeaders("encrypted", String(length));
  headers.set("Content-Type", "application/octet-stream");
  async function* write(): AsyncGenerator<Uint8Array> {
    for (const { file, head } of parts) {
      yield head;
      yield* sending.read(file);
    }
  }
  return await sending.respond(write(), { headers, length, tracker });
}

const toSequenced = (file: ZippedFile): SequencedFile => {
  const { sizeBytes, modifiedMs, isExecutable } = toEntry(file);
  const path = pathInShare({ name: file.name, relativePath: file.relative_path });
  return { path, sizeBytes, modifiedMs, isExecutable, isEncrypted: file.is_encrypted === 1 };
};

interface SentStream {
  readonly headers: Headers;
  readonly length: number;
  readonly tracker: ArchiveTracker | undefined;
}

/** Reads the files of one response, and records how much of each was sent. */
function createSending(c: HttpContext) {
  const sentFiles = new Map<string, SentFile>();
  const memory = createChunkMemory();
  return {
    read: (file: ZippedFile) => readCounted(c.env.ctx, file, { sentFiles, memory }),
    async respond(bytes: AsyncGenerator<Uint8Array>, { headers, length, tracker }: SentStream): Promise<Response> {
      c.env.peer.setIdleTimeout(0);
      if (tracker) recordWhenSent(c, (isComplete) => tracker.record(sentFiles, isComplete));
      if (length <= MAX_BUFFERED_BYTES) {
        c.env.responseIdleSeconds = TRANSFER_IDLE_SECONDS;
        return new Response(await buffer(c, bytes, { length, sentFiles }), { headers });
      }
      c.env.responseIdleSeconds = 0;
      return new Response(runtime.streamBody(restoreIdleTimeout(c, bytes), c.req.raw.signal), { headers });
    },
  };
}

/** Returns the entry of a file. A file without a known change before its upload has the time of its completion. */
const toEntry = (file: ZippedFile, name = file.name): ZipEntry => ({
  name,
  sizeBytes: file.size_bytes,
  crc32: file.crc32 ?? undefined,
  modifiedMs: file.modified_at ?? file.created_at,
  isExecutable: file.is_executable === 1,
});

async function archiveHeaders(name: string, length: string): Promise<Headers> {
  return new Headers({
    "Content-Type": "application/zip",
    "Content-Length": length,
    "Content-Disposition": await contentDisposition(name, "attachment"),
    "Accept-Ranges": "none",
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Referrer-Policy": "no-referrer",
  });
}

/** Reads a file, and records how many of its bytes were written to the socket. */
async function* readCounted(
  ctx: Ctx,
  file: ZippedFile,
  { sentFiles, memory }: { sentFiles: Map<string, SentFile>; memory: ChunkMemory },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  sentFiles.set(file.id, { bytes, isComplete: file.size_bytes === 0 });
  for await (const chunk of ctx.blobs.read(file.blob_key, { memory })) {
    bytes += chunk.length;
    sentFiles.set(file.id, { bytes, isComplete: false });
    yield chunk;
    // The socket requests the next chunk only after it has accepted this one.
    sentFiles.set(file.id, { bytes, isComplete: bytes === file.size_bytes });
  }
}

/** Reads a small response into memory. Nothing counts as sent if reading fails or the client has disconnected. */
async function buffer(
  c: HttpContext,
  stream: AsyncGenerator<Uint8Array>,
  { length, sentFiles }: { length: number; sentFiles: Map<string, SentFile> },
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await bufferStream(stream, length);
    if (c.req.raw.signal.aborted) sentFiles.clear();
    return bytes;
  } catch (error) {
    sentFiles.clear();
    throw error;
  }
}

/** Restores the idle timeout after the archive, which may wait for its store without a limit, for the next request on the connection. */
async function* restoreIdleTimeout(c: HttpContext, zip: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* zip;
  } finally {
    c.env.peer.setIdleTimeout(TRANSFER_IDLE_SECONDS);
  }
}
