import { type BlobArea, fileBlobKey, type StagedBlob, type UnknownFile } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import { listLiveInstances } from "../../jobs/instances.ts";
import { keysOfFiles, STATES_WITH_BYTES } from "../storage/known-keys.ts";
import { listPages } from "./list-pages.ts";

/** Bytes without a row in the database. */
export interface Orphan {
  readonly key: string;
  readonly where: BlobArea | "staging";
  /** The staged bytes, which `discard` removes; undefined for a blob. */
  readonly staged?: StagedBlob;
  /** The file, if it is not a blob. Its key is its path. */
  readonly unknownFile?: UnknownFile;
}

/**
 * Finds bytes without a row, page by page. Rows are written before their bytes and deleted after them, so listed bytes without a row are orphans.
 * Skips uploads of live server instances; calls `onListed` with the size of each page of the store.
 */
export async function* findOrphans(ctx: Ctx, onListed: (blobs: number) => void = () => undefined): AsyncGenerator<Orphan> {
  for (const area of ["visible", "quarantine"] as const) {
    for await (const blobs of listPages((after) => ctx.blobs.list(area, after))) {
      onListed(blobs.length);
      const keys = blobs.map((blob) => fileBlobKey(blob.key));
      const known = await keysOfFiles(ctx.db, keys, ["uploading", ...STATES_WITH_BYTES]);
      for (const blob of blobs) if (!known.has(fileBlobKey(blob.key))) yield { key: blob.key, where: area };
    }
  }
  for await (const blobs of listPages((after) => ctx.blobs.listStaged(after))) {
    onListed(blobs.length);
    const keys = blobs.map((staged) => fileBlobKey(staged.key));
    // Reads sessions first, because an upload that completes between the two queries is then found as a file.
    const live = await keysOfLiveSessions(ctx, keys);
    const ended = await keysOfFiles(ctx.db, keys, STATES_WITH_BYTES);
    for (const staged of blobs) {
      const fileKey = fileBlobKey(staged.key);
      if (!live.has(fileKey) && !ended.has(fileKey)) yield { key: staged.key, where: "staging", staged };
    }
  }
  for await (const unknownFile of ctx.blobs.listUnknownFiles?.() ?? [])
    yield { key: unknownFile.path, where: unknownFile.area, unknownFile };
}

async function keysOfLiveSessions(ctx: Ctx, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const sessions = await ctx.db
    .selectFrom("upload_sessions")
    .select(["blob_key", "kind", "lease_holder"])
    // Searches by the file, which exists as long as its session and has an index on the blob key.
    .where("file_id", "in", (query) => query.selectFrom("files").select("id").where("blob_key", "in", keys))
    .where("state", "<>", "completed")
    .execute();
  const liveInstances = await listLiveInstances(ctx);
  const live = sessions.filter(
    (session) => session.kind === "multipart" || (session.lease_holder !== null && liveInstances.has(session.lease_holder)),
  );
  return new Set(live.map((session) => session.blob_key));
}

/** Removes the bytes of an orphan. */
export async function removeOrphan({ blobs }: Ctx, { key, staged, unknownFile }: Omit<Orphan, "where">): Promise<void> {
  if (unknownFile) await blobs.removeUnknownFile?.(unknownFile);
  else if (staged) await blobs.discard(staged);
  else await blobs.remove(key);
}
