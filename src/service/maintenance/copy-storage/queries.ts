import type { Db } from "../../../db/database.ts";
import type { FileRow } from "../../../db/tables/files.ts";

/** The columns that describe the bytes of a file. */
export type BlobRow = Pick<FileRow, "id" | "blob_key" | "blob_state" | "scan_reason" | "size_bytes" | "sha256">;

const COLUMNS = ["id", "blob_key", "blob_state", "scan_reason", "size_bytes", "sha256"] as const;
/** The states in which a file must have bytes. */
const STATES_WITH_BYTES = ["stored", "quarantined"] as const;

/** Files that must have bytes, in the order of their keys; only keys after `after`. */
export async function listBlobRows(db: Db, { after, limit }: { after: string; limit: number }): Promise<BlobRow[]> {
  return await db
    .selectFrom("files")
    .select(COLUMNS)
    .where("blob_key", ">", after)
    .where("blob_state", "in", STATES_WITH_BYTES)
    .orderBy("blob_key")
    .limit(limit)
    .execute();
}

/** The file that must have the bytes of a key; undefined if there is none now. */
export async function findBlobRow(db: Db, key: string): Promise<BlobRow | undefined> {
  return await db
    .selectFrom("files")
    .select(COLUMNS)
    .where("blob_key", "=", key)
    .where("blob_state", "in", STATES_WITH_BYTES)
    .executeTakeFirst();
}

/** The states of files by key. A key without a file is absent. */
export async function findBlobStates(db: Db, keys: readonly string[]): Promise<ReadonlyMap<string, FileRow["blob_state"]>> {
  if (keys.length === 0) return new Map();
  const rows = await db.selectFrom("files").select(["blob_key", "blob_state"]).where("blob_key", "in", keys).execute();
  return new Map(rows.map((row) => [row.blob_key, row.blob_state]));
}

/** The number of files that must have bytes, and the sum of their sizes. */
export async function countBlobRows(db: Db): Promise<{ files: number; bytes: number }> {
  const { files, bytes } = await db
    .selectFrom("files")
    .select((select) => [
      select.fn.countAll<number>().as("files"),
      select.fn.coalesce(select.fn.sum<number>("size_bytes"), select.lit(0)).as("bytes"),
    ])
    .where("blob_state", "in", STATES_WITH_BYTES)
    .executeTakeFirstOrThrow();
  return { files, bytes };
}

/** The number of running uploads. */
export async function countOpenUploads(db: Db): Promise<number> {
  const { open } = await db
    .selectFrom("upload_sessions")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("state", "<>", "completed")
    .executeTakeFirstOrThrow();
  return open;
}
