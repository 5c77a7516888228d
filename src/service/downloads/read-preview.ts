import { reducedKey } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import { readZipDirectory, type ZipDirectory } from "../../lib/formats/zip-directory.ts";
import type { Span } from "../../lib/http/range.ts";
import type { DownloadableFile } from "./queries.ts";

/** Maximum number of bytes of a text in a preview (previews, "Documents"). */
const MAX_TEXT_BYTES = 256 * 1024;
const MAX_ZIP_ENTRIES = 1_000;
/** Maximum number of bytes that are read of a ZIP's directory: enough for the shown entries with names of 1,000 bytes. */
const MAX_DIRECTORY_BYTES = 1024 ** 2;

type StoredFile = Pick<DownloadableFile, "blob_key" | "size_bytes">;

export interface PreviewText {
  readonly bytes: Uint8Array;
  /** Whether the file contains more than the preview. */
  readonly isCut: boolean;
}

/** Reads the start of a text file. */
export async function readPreviewText(ctx: Pick<Ctx, "blobs">, file: StoredFile): Promise<PreviewText> {
  const end = Math.min(file.size_bytes, MAX_TEXT_BYTES);
  return { bytes: await readSpan(ctx, file, { start: 0, end }), isCut: end < file.size_bytes };
}

/** Reads the first entries of a ZIP; undefined if its directory cannot be read. */
export async function readPreviewZip(ctx: Pick<Ctx, "blobs">, file: StoredFile): Promise<ZipDirectory | undefined> {
  const limits = { archiveBytes: file.size_bytes, maxEntries: MAX_ZIP_ENTRIES, maxBytes: MAX_DIRECTORY_BYTES };
  return await readZipDirectory((start, end) => readSpan(ctx, file, { start, end }), limits);
}

async function readSpan({ blobs }: Pick<Ctx, "blobs">, file: StoredFile, range: Span): Promise<Buffer> {
  if (range.start >= range.end) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(file.blob_key, { range })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A reduced image to send. */
export interface ReducedImage {
  readonly sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
}

/** Returns the reduced image of an image; undefined without one. */
export function findReducedImage(
  ctx: Pick<Ctx, "blobs">,
  { blob_key, reduced_bytes }: Pick<DownloadableFile, "blob_key" | "reduced_bytes">,
): ReducedImage | undefined {
  return reduced_bytes === null ? undefined : { sizeBytes: reduced_bytes, read: () => ctx.blobs.read(reducedKey(blob_key)) };
}
