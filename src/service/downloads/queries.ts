import { sql } from "kysely";
import { inJson, insertMany } from "../../db/bulk.ts";
import { cacheUntilCommit } from "../../db/commit-cache.ts";
import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { DownloadGrantRow } from "../../db/tables/downloads.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { Span } from "../../lib/http/range.ts";
import { effectiveStatus, isStillActive } from "../effective-status.ts";
import { READY } from "../files/ready.ts";
import { complementBudget, isAcquired } from "../selling/grant-budget.ts";
import type { FoundShare } from "../shares/queries.ts";

/** The columns of a file that a download reads. */
const DOWNLOADABLE = [
  "files.id",
  "files.short_id",
  "files.owner_id",
  "files.name",
  "files.size_bytes",
  "files.content_type",
  "files.sha256",
  "files.crc32",
  "files.modified_at",
  "files.is_executable",
  "files.blob_key",
  "files.blob_state",
  "files.reduced_bytes",
  effectiveStatus.as("status"),
  "files.created_at",
  "files.scan_status",
  "files.scan_reason",
  "files.failure",
  "files.is_encrypted",
] as const;

type ColumnOf<T> = T extends `files.${infer Name extends keyof FileRow}` ? Name : never;

export type DownloadableFile = Readonly<Pick<FileRow, ColumnOf<(typeof DOWNLOADABLE)[number]> | "status">>;

/** A file with the columns that an archive also reads. */
export type ArchivableFile = DownloadableFile & Pick<FileRow, "relative_path" | "scanned_at" | "ended_at">;

/** The columns of a share that decide who may download its files. */
export type SharePolicy = Readonly<
  Pick<
    FoundShare,
    | "short_id"
    | "status"
    | "expires_at"
    | "max_downloads"
    | "credentials_version"
    | "unlock_hash"
    | "handoff_hash"
    | "price_cents"
    | "owner_disabled_at"
    | "owner_id"
    | "is_private"
  >
>;

export interface Downloadable {
  readonly file: DownloadableFile;
  readonly share: SharePolicy;
}

const downloadableQuery = preparedQuery((db, { fileId }: { fileId: string }) =>
  db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .leftJoin("users", "users.id", "shares.owner_id")
    .select(DOWNLOADABLE)
    .select([
      "shares.status as share_status",
      "shares.expires_at",
      "shares.max_downloads",
      "shares.credentials_version",
      "shares.unlock_hash",
      "shares.handoff_hash",
      "shares.price_cents",
      "shares.is_private",
    ])
    .select("users.disabled_at as owner_disabled_at")
    .where("files.id", "=", fileId),
);

/** A file and the policy of its share, by the file's ID. Cached until the next commit: players and resumed downloads read one file many times. */
export const findDownloadable = cacheUntilCommit<Downloadable>(async (db, fileId) => {
  const row = await downloadableQuery.first(db, { fileId });
  return row && { file: row, share: { ...row, status: row.share_status } };
});

/** Reads the blurred image, a `data:` URL, that a page shows until it has loaded the preview of an image; null without one. */
export async function findPlaceholder(db: Db, fileId: string): Promise<string | null> {
  const row = await db.selectFrom("files").select("image_placeholder").where("id", "=", fileId).executeTakeFirst();
  return row?.image_placeholder ?? null;
}

/** Lists the files of a share, oldest first. Selects few columns, because a share may have 10,000 files. */
export async function listArchivable(db: Db, shortId: string): Promise<ArchivableFile[]> {
  return await db
    .selectFrom("files")
    .select(DOWNLOADABLE)
    .select(["files.relative_path", "files.scanned_at", "files.ended_at"])
    .where("short_id", "=", shortId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** A file of an account that can be downloaded, with its name in the account's list. */
export interface OwnReady {
  readonly file: DownloadableFile;
  /** The ID by which the file was chosen. */
  readonly chosenId: string;
}

/**
 * Lists the files of an account, among these IDs, that can be downloaded. A file whose chosen place has ended is read from its oldest other place.
 */
export async function listOwnReady(db: Db, ownerId: string, ids: readonly string[]): Promise<OwnReady[]> {
  const named = await readOwnReady(db, ownerId, new Map(ids.map((id) => [id, id])));
  const found = new Set(named.map(({ chosenId }) => chosenId));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return named;
  const { rows } = await sql<{ readonly chosen_id: string; readonly id: string | null }>`SELECT chosen.id AS chosen_id,
      (SELECT files.id FROM files WHERE files.origin_id = chosen.origin_id AND ${isStillActive} ORDER BY files.placed_at, files.id LIMIT 1) AS id
    FROM files AS chosen WHERE chosen.id IN ${inJson(missing)} AND chosen.origin_id IS NOT NULL`.execute(db);
  const others = rows.flatMap(({ chosen_id, id }) => (id === null ? [] : [[id, chosen_id] as const]));
  return [...named, ...(await readOwnReady(db, ownerId, new Map(others)))];
}

/** Reads the places, by ID, that can be downloaded. `chosenIds` maps the ID of the place to the chosen one. */
async function readOwnReady(db: Db, ownerId: string, chosenIds: ReadonlyMap<string, string>): Promise<OwnReady[]> {
  if (chosenIds.size === 0) return [];
  const files = await db
    .selectFrom("files")
    .select(DOWNLOADABLE)
    .select("owner_name")
    .where("id", "in", inJson([...chosenIds.keys()]))
    .where("owner_id", "=", ownerId)
    .where(effectiveStatus, "=", "active")
    .where("scan_status", "=", READY.scan_status)
    .where("blob_state", "=", READY.blob_state)
    .execute();
  return files.map(({ owner_name, ...file }) => ({
    file: { ...file, name: owner_name ?? file.name },
    chosenId: chosenIds.get(file.id) ?? file.id,
  }));
}

/** The right to one complete download of a limited file (downloads, "Limited shares"). */
export interface NewGrant {
  readonly id: string;
  readonly fileId: string;
  /** Number of bytes that may be sent, including repeated transfers. */
  readonly budgetBytes: number;
  readonly expiresAtMs: number;
}

export async function insertGrants(db: Db, grants: readonly NewGrant[]): Promise<void> {
  const toRow = ({ id, fileId, budgetBytes, expiresAtMs }: NewGrant) => ({
    id,
    file_id: fileId,
    budget_bytes: budgetBytes,
    expires_at: expiresAtMs,
  });
  await insertMany(db, "download_grants", grants.map(toRow));
}

export async function findGrant(db: Db, id: string): Promise<DownloadGrantRow | undefined> {
  return await db.selectFrom("download_grants").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The conditions under which grants are used. */
export interface GrantUse {
  readonly nowMs: number;
  /** Whether the caller is a buyer, who can use complete grants until they expire. */
  readonly isBought: boolean;
}

/** Returns whether a grant can be used: it is not complete, or it is a buyer's and has not expired. */
export const isGrantUsable = (grant: Pick<DownloadGrantRow, "completed_at" | "expires_at">, { nowMs, isBought }: GrantUse): boolean =>
  grant.completed_at === null || (isBought && grant.expires_at > nowMs);

/** Returns the condition of `isGrantUsable` in SQL, for a row of `download_grants`. */
const isUsable = ({ nowMs, isBought }: GrantUse) =>
  isBought ? sql<boolean>`(completed_at IS NULL OR expires_at > ${nowMs})` : sql<boolean>`completed_at IS NULL`;

/** Debits bytes from a grant before they are sent. False if it cannot be used or has fewer bytes left. */
export async function debitGrant(db: Db, id: string, bytes: number, use: GrantUse): Promise<boolean> {
  const result = await db
    .updateTable("download_grants")
    .set({ budget_bytes: sql`budget_bytes - ${bytes}` })
    .where("id", "=", id)
    .where(isUsable(use))
    .where("budget_bytes", ">=", bytes)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export interface GrantProgress {
  readonly id: string;
  /** Number of bytes that were debited and not sent. */
  readonly refundBytes: number;
  readonly sentSpans: readonly Span[];
  readonly completedAtMs: number | null;
}

/** Stores the sent spans of a grant, and credits the bytes that were debited and not sent. */
export async function recordSent(db: Db, { id, refundBytes, sentSpans, completedAtMs }: GrantProgress): Promise<void> {
  await db
    .updateTable("download_grants")
    .set({
      // An archive may have acquired the grant during the transfer, which makes its budget negative.
      budget_bytes: sql`CASE WHEN ${isAcquired} THEN budget_bytes - ${refundBytes} ELSE budget_bytes + ${refundBytes} END`,
      sent_spans: JSON.stringify(sentSpans),
      completed_at: sql`coalesce(completed_at, ${completedAtMs})`,
    })
    .where("id", "=", id)
    .execute();
}

/** Returns the spans of the file that were sent under a grant. */
export const parseSentSpans = (grant: DownloadGrantRow): Span[] => JSON.parse(grant.sent_spans);

/** The grant of one file of a limited archive. */
export interface ArchiveGrant {
  readonly fileId: string;
  readonly budgetBytes: number;
  /** The time of completion; null if the grant is not complete. */
  readonly completedAtMs: number | null;
}

export interface ReleasedGrant {
  readonly fileId: string;
  /** Number of bytes of the file that were not sent. */
  readonly refundBytes: number;
  /** The time of completion; null if the grant is not complete. */
  readonly completedAtMs: number | null;
}

/** Returns the ID of the grant of one file of a limited archive. */
export const archiveGrantId = (archiveId: string, fileId: string): string => `${archiveId}-${fileId}`;

/** Lists the grants of an archive that can be used and are not acquired. */
export async function listOpenGrants(db: Db, archiveId: string, use: GrantUse): Promise<ArchiveGrant[]> {
  return await db
    .selectFrom("download_grants")
    .select(["file_id as fileId", "budget_bytes as budgetBytes", "completed_at as completedAtMs"])
    .where("id", ">", archiveGrantId(archiveId, ""))
    // The full stop is the next character after the hyphen, so the range has all IDs that start with the archive's ID and a hyphen.
    .where("id", "<", `${archiveId}.`)
    .where(isUsable(use))
    .where(sql<boolean>`NOT ${isAcquired}`)
    .execute();
}

/** Acquires the grants of files that `listOpenGrants` found in the same transaction, and debits the files' sizes. */
export async function acquireGrants(db: Db, archiveId: string, files: readonly DownloadableFile[]): Promise<void> {
  const rows = files.map(({ id, size_bytes }) => [archiveGrantId(archiveId, id), size_bytes]);
  await sql`UPDATE download_grants SET budget_bytes = ${complementBudget} + (acquired.value ->> 1)
    FROM json_each(${JSON.stringify(rows)}) AS acquired
    WHERE download_grants.id = acquired.value ->> 0`.execute(db);
}

/** Releases acquired grants, and credits the bytes that were not sent. */
export async function releaseGrants(db: Db, archiveId: string, grants: readonly ReleasedGrant[]): Promise<void> {
  const rows = grants.map(({ fileId, refundBytes, completedAtMs }) => [archiveGrantId(archiveId, fileId), refundBytes, completedAtMs]);
  await sql`UPDATE download_grants SET budget_bytes = ${complementBudget} + (released.value ->> 1), completed_at = coalesce(completed_at, released.value ->> 2)
    FROM json_each(${JSON.stringify(rows)}) AS released
    WHERE download_grants.id = released.value ->> 0 AND ${isAcquired}`.execute(db);
}

/** Returns the archive that a grant belongs to; undefined for a grant of a single file. */
export const archiveIdOf = (grantId: string, fileId: string): string | undefined =>
  grantId.endsWith(`-${fileId}`) ? grantId.slice(0, -fileId.length - 1) : undefined;

/** Extends an incomplete grant until the expiry of a URL that is signed for it. */
export async function prolongGrant(db: Db, id: string, expiresAtMs: number): Promise<void> {
  await db
    .updateTable("download_grants")
    .set({ expires_at: sql`max(expires_at, ${expiresAtMs})` })
    .where("id", "=", id)
    .where("completed_at", "is", null)
    .execute();
}

/** A change of a grant's ID. */
export interface MovedGrant {
  readonly from: string;
  readonly to: string;
}

/**
 * Changes the IDs of a buyer's grants, which invalidates the earlier URLs. A transfer that has acquired a grant keeps the bytes that it debited.
 * Resolves to false if a grant is unknown.
 */
export async function moveGrants(db: Db, grants: readonly MovedGrant[], expiresAtMs: number): Promise<boolean> {
  const rows = grants.map(({ from, to }) => [from, to]);
  const { numAffectedRows } = await sql`UPDATE download_grants SET
      id = moved.value ->> 1,
      budget_bytes = CASE WHEN ${isAcquired} THEN ${complementBudget} ELSE budget_bytes END,
      expires_at = CASE WHEN completed_at IS NULL THEN max(expires_at, ${expiresAtMs}) ELSE expires_at END
    FROM json_each(${JSON.stringify(rows)}) AS moved
    WHERE download_grants.id = moved.value ->> 0`.execute(db);
  return numAffectedRows === BigInt(grants.length);
}

/** Deletes expired grants of files whose bytes are removed. */
export async function deleteExpiredGrants(db: Db, nowMs: number): Promise<void> {
  await db
    .deleteFrom("download_grants")
    .where("expires_at", "<=", nowMs)
    .where((where) =>
      where.exists(
        where
          .selectFrom("files")
          .select("files.id")
          .whereRef("files.id", "=", "download_grants.file_id")
          .where("files.blob_state", "=", "removed"),
      ),
    )
    .execute();
}
