import { type RawBuilder, sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { newFileId } from "../../lib/secrets/ids.ts";
import type { UserActor } from "../accounts/actor.ts";
import { commitReservation, reserveStorage } from "../accounts/quotas.ts";
import { STATES_WITH_BYTES } from "../storage/known-keys.ts";

/**
 * The columns that a new place copies from the place that was chosen: the facts about the bytes, which all places with the same blob share, and
 * the position of the file in its owner's list.
 */
export const COPIED = [
  "owner_id",
  "folder_id",
  "run_id",
  "name_key",
  "name_order",
  "owner_name",
  "size_bytes",
  "content_type",
  "sha256",
  "expected_sha256",
  "blob_key",
  "blob_state",
  "scan_status",
  "scan_reason",
  "scan_coverage",
  "scan_detail",
  "failure",
  "scanned_at",
  "status",
  "created_at",
  "thumbnail_bytes",
  "thumbnail_width",
  "thumbnail_height",
  "image_width",
  "image_height",
  "image_placeholder",
  "reduced_bytes",
  "arrived_at",
  "is_encrypted",
  "crc32",
  "modified_at",
  "is_executable",
  "origin_id",
] as const satisfies readonly (keyof FileRow)[];

/** The columns that each place has for itself, with their values in a new place. `place` is its ID, the chosen place and its path. */
export const toOwn = ({ shortId, quotaOwner, nowMs }: { shortId: string; quotaOwner: string; nowMs: number }) =>
  ({
    id: sql`place.value ->> 0`,
    short_id: sql`${shortId}`,
    quota_owner: sql`${quotaOwner}`,
    name: sql`coalesce(source.owner_name, source.name)`,
    relative_path: sql`place.value ->> 2`,
    immutable: sql`0`,
    download_count: sql`0`,
    ended_at: sql`NULL`,
    // Infected bytes stay in quarantine and are removed when the quarantine ends.
    remove_at: sql`CASE source.blob_state WHEN 'quarantined' THEN source.remove_at END`,
    request_id: sql`NULL`,
    submission_id: sql`NULL`,
    sent_name: sql`NULL`,
    sent_path: sql`NULL`,
    is_repeat: sql`1`,
    status_before_takedown: sql`NULL`,
    // Each place is later than the other active ones of its file, also within a millisecond.
    placed_at: sql`max(${nowMs}, 1 + coalesce((SELECT max(earlier.placed_at) FROM files AS earlier
      WHERE earlier.origin_id = source.origin_id AND earlier.status = 'active'), 0))`,
  }) satisfies Record<Exclude<keyof FileRow, (typeof COPIED)[number]>, RawBuilder<unknown>>;

/** Returns the ID that all places of a file have in common. It is the subject of the jobs that read the bytes. */
export const fileIdOf = ({ id, origin_id }: Pick<FileRow, "id" | "origin_id">): string => origin_id ?? id;

/** Keeps one place of each file, the first one. */
export function onePlaceEach<File extends Pick<FileRow, "id" | "origin_id">>(files: readonly File[]): readonly File[] {
  const seen = new Set<string>();
  return files.filter((file) => !seen.has(fileIdOf(file)) && seen.add(fileIdOf(file)));
}

interface NewPlaces {
  readonly owner: UserActor;
  readonly shortId: string;
  /** An active place of each file, which has its bytes, and the path of the new place. */
  readonly places: readonly { readonly file: Pick<FileRow, "id">; readonly path: string | null }[];
}

/**
 * Adds a place of each file to a share. The owner's storage counts each place as a file, and the bytes once. Throws QUOTA_EXCEEDED.
 */
export async function addPlaces(ctx: TransactionCtx, { owner, shortId, places }: NewPlaces): Promise<void> {
  if (places.length === 0) return;
  const ids = inJson(places.map(({ file }) => file.id));
  const bytes = await sumUncountedBytes(ctx.db, owner.quotaOwner, ids);
  await reserveStorage(ctx.db, owner, ctx.config.tiers[owner.tier], { bytes, files: places.length });
  await commitReservation(ctx.db, { owner: owner.quotaOwner, reservedBytes: bytes, usedBytes: bytes });
  await sql`UPDATE files SET origin_id = id WHERE id IN ${ids} AND origin_id IS NULL`.execute(ctx.db);
  const own = toOwn({ shortId, quotaOwner: owner.quotaOwner, nowMs: ctx.now() });
  const rows = JSON.stringify(places.map(({ file, path }) => [newFileId(ctx.random), file.id, path]));
  await sql`INSERT INTO files (${sql.join([...COPIED, ...Object.keys(own)].map((column) => sql.ref(column)))})
    SELECT ${sql.join([...COPIED.map((column) => sql.ref(`source.${column}`)), ...Object.values(own)])}
    FROM json_each(${rows}) AS place JOIN files AS source ON source.id = place.value ->> 1`.execute(ctx.db);
}

/** Returns the bytes of the files that an account's storage does not count yet, because their sender's storage does. */
async function sumUncountedBytes(db: Db, quotaOwner: string, ids: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ readonly bytes: number }>`SELECT coalesce(sum(size_bytes), 0) AS bytes FROM files
    WHERE id IN ${ids} AND NOT EXISTS (SELECT 1 FROM files AS counted WHERE counted.blob_key = files.blob_key
      AND counted.quota_owner = ${quotaOwner} AND counted.blob_state IN (${sql.join(STATES_WITH_BYTES)}))`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** A place of a file in another share. */
export type OtherPlace = Pick<FileRow, "id" | "short_id" | "name">;

/** Lists other active places of files, in any share, the oldest first, at most `limit`. */
export async function listOtherPlaces(
  db: Db,
  places: readonly Pick<FileRow, "id" | "origin_id">[],
  limit: number,
): Promise<readonly OtherPlace[]> {
  const origins = [...new Set(places.flatMap(({ origin_id }) => origin_id ?? []))];
  if (origins.length === 0) return [];
  return await db
    .selectFrom("files")
    .select(["id", "short_id", "name"])
    // Sorts in the index, because a file may have 100,000 places.
    .where("id", "in", (query) =>
      query
        .selectFrom("files as other")
        .select("other.id")
        .where("other.origin_id", "in", inJson(origins))
        .where("other.status", "=", "active")
        .where("other.id", "not in", inJson(places.map(({ id }) => id)))
        .orderBy("other.placed_at")
        .orderBy("other.id")
        .limit(limit),
    )
    .orderBy("placed_at")
    .orderBy("id")
    .execute();
}

/** Counts the active places of files without those of `ids`. */
export async function countOtherPlaces(db: Db, originIds: readonly string[], ids: readonly string[]): Promise<number> {
  if (originIds.length === 0) return 0;
  const { places } = await db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("places"))
    .where("origin_id", "in", inJson(originIds))
    .where("status", "=", "active")
    .where("id", "not in", inJson(ids))
    .executeTakeFirstOrThrow();
  return places;
}

/** Returns the condition of the oldest active places of files, at most `max` of each. */
export const isAmongOldest = (originIds: readonly string[], max: number): RawBuilder<boolean> =>
  sql<boolean>`files.id IN (SELECT place.id FROM json_each(${JSON.stringify(originIds)}) JOIN files AS place
    ON place.id IN (SELECT id FROM files AS oldest WHERE oldest.origin_id = json_each.value AND oldest.status = 'active'
      ORDER BY oldest.placed_at, oldest.id LIMIT ${max}))`;

/** Finds the place from which a job reads the bytes of a file: an active one with stored bytes. `fileId` is that of `fileIdOf`. */
export async function findReadable(db: Db, fileId: string): Promise<FileRow | undefined> {
  const first = await db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst();
  if (first?.status === "active" && first.blob_state === "stored") return first;
  return await db
    .selectFrom("files")
    .selectAll()
    .where("origin_id", "=", fileId)
    .where("status", "=", "active")
    .where("blob_state", "=", "stored")
    .orderBy("placed_at")
    .limit(1)
    .executeTakeFirst();
}
