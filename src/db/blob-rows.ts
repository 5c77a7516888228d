import type { Db } from "./database.ts";
import type { FileRow } from "./tables/files.ts";

/** What a row says of its bytes. */
export type BlobRow = Pick<FileRow, "id" | "blob_key" | "blob_state" | "scan_reason" | "size_bytes" | "sha256">;

const COLUMNS = ["id", "blob_key", "blob_state", "scan_reason", "size_bytes", "sha256"] as const;
/** The states in which a file must have its bytes. */
const KEPT = ["stored", "quarantined"] as const;

/** The files that must have bytes, in the order of their keys, after `after`. */
export async function listBlobRows(db: Db, { after, limit }: { after: string; limit: number }): Promise<BlobRow[]> {
  return await db
    .selectFrom("files")
    .select(COLUMNS)
    .where("blob_key", ">", after)
    .where("blob_state", "in", KEPT)
    .orderBy("blob_key")
    .limit(limit)
    .execute();
}

/** The row of a file that must have bytes; undefined where there is none, or none any more. */
export async function findBlobRow(db: Db, key: string): Promise<BlobRow | undefined> {
  return await db.selectFrom("files").select(COLUMNS).where("blob_key", "=", key).where("blob_state", "in", KEPT).executeTakeFirst();
}

/** The states of the files that have these keys, by key; a key that no file has is left out. */
export async function findBlobStates(db: Db, keys: readonly string[]): Promise<ReadonlyMap<string, FileRow["blob_state"]>> {
  if (keys.length === 0) return new Map();
  const rows = await db.selectFrom("files").select(["blob_key", "blob_state"]).where("blob_key", "in", keys).execute();
  return new Map(rows.map((row) => [row.blob_key, row.blob_state]));
}

/** How many files must have bytes, and how many bytes. */
export async function countBlobRows(db: Db): Promise<{ files: number; bytes: number }> {
  const { files, bytes } = await db
    .selectFrom("files")
    .select((select) => [
      select.fn.countAll<number>().as("files"),
      select.fn.coalesce(select.fn.sum<number>("size_bytes"), select.lit(0)).as("bytes"),
    ])
    .where("blob_state", "in", KEPT)
    .executeTakeFirstOrThrow();
  return { files, bytes };
}

/** How many uploads are under way. */
export async function countOpenUploads(db: Db): Promise<number> {
  const { open } = await db
    .selectFrom("upload_sessions")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("state", "<>", "completed")
    .executeTakeFirstOrThrow();
  return open;
}
