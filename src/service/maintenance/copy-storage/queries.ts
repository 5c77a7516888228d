import { sql } from "kysely";
import { fileBlobKey, reducedKey, thumbnailKey } from "../../../blobs/store.ts";
import type { Db } from "../../../db/database.ts";
import type { FileRow } from "../../../db/tables/files.ts";

/** The columns that describe the bytes of a file, or of an image made of it. */
export type BlobRow = Pick<FileRow, (typeof BLOB_COLUMNS)[number]>;

const BLOB_COLUMNS = ["id", "blob_key", "blob_state", "scan_reason", "size_bytes", "sha256"] as const;
const COLUMNS = [...BLOB_COLUMNS, "reduced_bytes", "thumbnail_bytes"] as const;
/** The states in which a file must have bytes. */
const STATES_WITH_BYTES = ["stored", "quarantined"] as const;

type StoredRow = Pick<FileRow, (typeof COLUMNS)[number]>;

/** Returns the rows of a file and of the images made of it, which have no digest, in the order of their keys. */
function toBlobRows({ reduced_bytes, thumbnail_bytes, ...row }: StoredRow): readonly BlobRow[] {
  const toImageRow = (key: string, size_bytes: number | null): readonly BlobRow[] =>
    size_bytes === null ? [] : [{ ...row, blob_key: key, size_bytes, sha256: null }];
  return [row, ...toImageRow(reducedKey(row.blob_key), reduced_bytes), ...toImageRow(thumbnailKey(row.blob_key), thumbnail_bytes)];
}

/**
 * Lists blobs that files need, by one place of each, followed by the images made of it, in the order of their keys, after the key `after`. Reads at
 * most `limit` blobs.
 */
export async function listBlobRows(db: Db, { after, limit }: { after: string; limit: number }): Promise<BlobRow[]> {
  const rows = await db
    .selectFrom("files")
    .select(COLUMNS)
    .where("blob_key", ">", after)
    .where("blob_state", "in", STATES_WITH_BYTES)
    // SQLite takes the other columns from the row with the minimum.
    .select(sql<string>`min(id)`.as("first_id"))
    .groupBy("blob_key")
    .orderBy("blob_key")
    .limit(limit)
    .execute();
  return rows.flatMap(toBlobRows);
}

/** Finds the file that must have the bytes of a key; undefined if there is none now. */
export async function findBlobRow(db: Db, key: string): Promise<BlobRow | undefined> {
  const row = await db
    .selectFrom("files")
    .select(COLUMNS)
    .where("blob_key", "=", fileBlobKey(key))
    .where("blob_state", "in", STATES_WITH_BYTES)
    .limit(1)
    .executeTakeFirst();
  return row && toBlobRows(row).find(({ blob_key }) => blob_key === key);
}

/** Returns the states of blobs by key: `removed` only if no file needs the blob. A key without a file is absent. */
export async function readBlobStates(db: Db, keys: readonly string[]): Promise<ReadonlyMap<string, FileRow["blob_state"]>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom("files")
    .select(["blob_key", "blob_state"])
    .distinct()
    .where("blob_key", "in", [...new Set(keys.map(fileBlobKey))])
    .execute();
  const removed = rows.filter(({ blob_state }) => blob_state === "removed");
  const needed = rows.filter(({ blob_state }) => blob_state !== "removed");
  const states = new Map([...removed, ...needed].map((row) => [row.blob_key, row.blob_state]));
  return new Map(
    keys.flatMap((key) => {
      const state = states.get(fileBlobKey(key));
      return state === undefined ? [] : [[key, state] as const];
    }),
  );
}

/** Returns the number of blobs that files need and the sum of their sizes, both including the images made of them. */
export async function countBlobRows(db: Db): Promise<{ files: number; bytes: number }> {
  const { files, bytes } = await db
    .selectFrom((from) =>
      from
        .selectFrom("files")
        .select(["size_bytes", "reduced_bytes", "thumbnail_bytes"])
        .where("blob_state", "in", STATES_WITH_BYTES)
        .groupBy("blob_key")
        .as("blobs"),
    )
    .select([
      sql<number>`count(*) + count(reduced_bytes) + count(thumbnail_bytes)`.as("files"),
      sql<number>`coalesce(sum(size_bytes + coalesce(reduced_bytes, 0) + coalesce(thumbnail_bytes, 0)), 0)`.as("bytes"),
    ])
    .executeTakeFirstOrThrow();
  return { files, bytes };
}

/** Returns the number of running uploads. */
export async function countOpenUploads(db: Db): Promise<number> {
  const { open } = await db
    .selectFrom("upload_sessions")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("state", "<>", "completed")
    .executeTakeFirstOrThrow();
  return open;
}
