import { crc32 } from "node:zlib";
import { runtime } from "#runtime";
import type { Ctx } from "../../context.ts";
import { archiveName, archiveNames } from "../../lib/formats/archive-names.ts";
import { writeZip, type ZipEntry, zipLength } from "../../lib/formats/zip.ts";
import { evaluatePreconditions } from "../../lib/http/preconditions.ts";
import { type ChunkMemory, createChunkMemory } from "../../lib/system/chunk-memory.ts";
import type { ShownArchive } from "../../service/downloads/authorize-archive.ts";
import { type ArchiveTracker, openArchive, type SentFile } from "../../service/downloads/open-archive.ts";
import { type OwnArchive, openOwnArchive } from "../../service/downloads/own-archive.ts";
import { identifyCaller } from "../callers/caller.ts";
import { readConditions } from "../reading/request-headers.ts";
import { bufferStream, MAX_BUFFERED_BYTES } from "../responding/respond.ts";
import { TRANSFER_IDLE_SECONDS } from "../routing/connection-watch.ts";
import type { HttpContext } from "../routing/env.ts";
import { contentDisposition } from "./content-disposition.ts";
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
  const sentFiles = new Map<string, SentFile>();
  const memory = createChunkMemory();
  const members = files.map((file, index) => ({
    ...toEntry(file, names[index]),
    read: () => readCounted(c.env.ctx, file, { sentFiles, memory }),
  }));
  const length = zipLength(members);
  const headers = await archiveHeaders(name, String(length));
  if (isHead) return new Response(null, { headers });
  c.env.peer.setIdleTimeout(0);
  if (tracker) recordWhenSent(c, (isComplete) => tracker.record(sentFiles, isComplete));
  const zip = writeZip(members, crc32);
  if (length <= MAX_BUFFERED_BYTES) {
    c.env.responseIdleSeconds = TRANSFER_IDLE_SECONDS;
    return new Response(await bufferZip(c, zip, { length, sentFiles }), { headers });
  }
  c.env.responseIdleSeconds = 0;
  return new Response(runtime.streamBody(restoreIdleTimeout(c, zip), c.req.raw.signal), { headers });
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

/** Reads a small archive into memory. Nothing counts as sent if reading fails or the client has disconnected. */
async function bufferZip(
  c: HttpContext,
  zip: AsyncGenerator<Uint8Array>,
  { length, sentFiles }: { length: number; sentFiles: Map<string, SentFile> },
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await bufferStream(zip, length);
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
