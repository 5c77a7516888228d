import { type SqlBool, sql } from "kysely";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { addressOf, isAddressVerified } from "../accounts/users.ts";
import type { ADMIN_FILE_SORTS, ADMIN_FILE_STATES, AdminFileView } from "./files-contract.ts";

/** The condition of the partial indexes `files_all_…`, in the same words and without parameters; otherwise SQLite does not use those indexes. */
const LISTED = "files.status <> 'deleted' AND files.blob_state <> 'uploading'";

const STATES: Readonly<Record<(typeof ADMIN_FILE_STATES)[number], string>> = {
  ready: "files.status = 'active' AND files.scan_status = 'clean'",
  waiting: "files.status = 'active' AND files.scan_status IN ('pending', 'scanning')",
  blocked: "files.status = 'active' AND files.scan_status = 'unavailable'",
  taken_down: "files.status = 'dmca_removed'",
  expired: "files.status = 'expired'",
};

/** The column and the index of each order. SQLite would not choose the index without statistics. */
const ORDERS = {
  created: { index: "files_all_by_age", by: "created_at" },
  size: { index: "files_all_by_size", by: "size_bytes" },
} as const;

/** A position in a list: after the file with this time or size and this ID. */
export interface FilePosition {
  readonly value: number;
  readonly id: string;
}

export interface AllFilesFilter {
  /** Limits the list to files of this account; null: files without an owner; undefined: all files. */
  readonly ownerId?: string | null | undefined;
  readonly state?: (typeof ADMIN_FILE_STATES)[number] | undefined;
  /** Limits the list to files whose names contain each of these words (`toSearchKey`). */
  readonly words: readonly string[];
  readonly sort: (typeof ADMIN_FILE_SORTS)[number];
  readonly isAscending: boolean;
  readonly after?: FilePosition | undefined;
  readonly limit: number;
}

/** Lists the IDs of one page of all files. The query reads an index only, so that no other row is read. */
export async function listAllFileIds(db: Db, filter: AllFilesFilter): Promise<string[]> {
  const { ownerId, state, words, sort, isAscending, after, limit } = filter;
  const { index, by } = ORDERS[sort];
  const column = sql.ref(`files.${by}`);
  const direction = sql.raw(isAscending ? "ASC" : "DESC");
  const conditions = [
    sql.raw(LISTED),
    ...(state === undefined ? [] : [sql.raw(STATES[state])]),
    ...(ownerId === undefined ? [] : [ownerId === null ? sql`files.owner_id IS NULL` : sql`files.owner_id = ${ownerId}`]),
    ...(after === undefined ? [] : [sql`(${column}, files.id) ${sql.raw(isAscending ? ">" : "<")} (${after.value}, ${after.id})`]),
    ...words.map((word) => sql`instr(files.name_key, ${word}) > 0`),
  ];
  const { rows } = await sql<{ readonly id: string }>`SELECT files.id FROM files INDEXED BY ${sql.raw(index)}
    WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${column} ${direction}, files.id ${direction} LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Finds the listed files that an ID, a short ID or a SHA-256 names, at most `limit`, the newest first. */
export async function listNamedFileIds(db: Db, named: string, limit: number): Promise<string[]> {
  const isDigest = /^[0-9a-f]{64}$/i.test(named);
  const rows = await db
    .selectFrom("files")
    .select("id")
    .where(sql<SqlBool>`${sql.raw(LISTED)}`)
    .where((where) =>
      isDigest ? where("sha256", "=", named.toLowerCase()) : where.or([where("id", "=", named), where("short_id", "=", named)]),
    )
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** A file with its share and the address of its owner. */
export interface AdminFileRow {
  readonly file: FileRow;
  readonly share: ShareRow & { readonly owner_disabled_at: number | null };
  /** The owner; null for a file without one. */
  readonly owner: AdminFileView["owner"];
}

/** Loads files by their IDs, in the order of the IDs. */
export async function loadAdminFiles(db: Db, ids: readonly string[]): Promise<AdminFileRow[]> {
  if (ids.length === 0) return [];
  const files = await db.selectFrom("files").selectAll().where("id", "in", inJson(ids)).execute();
  const shortIds = [...new Set(files.map(({ short_id }) => short_id))];
  const ownerIds = [...new Set(files.flatMap(({ owner_id }) => owner_id ?? []))];
  const [shares, owners] = await Promise.all([
    db.selectFrom("shares").selectAll().where("short_id", "in", inJson(shortIds)).execute(),
    db
      .selectFrom("users")
      .select(["id", "email", "claimed_email", "email_verified", "role", "disabled_at", "deleted_at"])
      .where("id", "in", inJson(ownerIds))
      .execute(),
  ]);
  const fileOf = new Map(files.map((file) => [file.id, file]));
  const shareOf = new Map(shares.map((share) => [share.short_id, share]));
  const ownerOf = new Map(owners.map((owner) => [owner.id, owner]));
  return ids.flatMap((id) => {
    const file = fileOf.get(id);
    const share = file && shareOf.get(file.short_id);
    if (!share) return [];
    const owner = ownerOf.get(file.owner_id ?? "");
    return [{ file, share: { ...share, owner_disabled_at: owner?.disabled_at ?? null }, owner: toOwner(file.owner_id, owner) }];
  });
}

type OwnerRow = Pick<UserRow, "email" | "claimed_email" | "email_verified" | "role" | "deleted_at">;

function toOwner(id: string | null, user: OwnerRow | undefined): AdminFileView["owner"] {
  if (id === null) return null;
  if (!user || user.deleted_at !== null) return { id, email: null, emailVerified: false };
  return { id, email: addressOf(user), emailVerified: isAddressVerified(user) };
}

/** Lists the IDs of a share's first files that are not deleted. */
export async function listShareFileIds(db: Db, shortId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("files")
    .select("id")
    .where("short_id", "=", shortId)
    .where("status", "<>", "deleted")
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
