import { sql } from "kysely";
import type { Tier, TierLimits } from "../../config/tiers.ts";
import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { AppError } from "../../errors.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { type Actor, AGENT_QUOTA_PREFIX, SUBNET48_FACTOR, subnet48QuotaPrefix } from "./actor.ts";

/** Bytes and files to reserve for an owner, within its limits. */
export interface Reservation {
  readonly owner: string;
  readonly bytes: number;
  readonly limitBytes: number;
  /** Number of files that start with this reservation. */
  readonly files: number;
  readonly limitFiles: number;
}

/** The used and reserved storage of one owner or of several. */
export interface QuotaUse {
  readonly usedBytes: number;
  readonly reservedBytes: number;
  readonly files: number;
}

/** Reserves bytes and counts files, exactly under concurrency. Resolves to false, without a change, if that would exceed a limit. */
export async function reserveQuota(db: Db, reservation: Reservation): Promise<boolean> {
  if (reservation.bytes > reservation.limitBytes || reservation.files > reservation.limitFiles) return false;
  return (await reserveQuery.run(db, reservation)) === 1;
}

const reserveQuery = preparedQuery((db, { owner, bytes, limitBytes, files, limitFiles }: Reservation) =>
  db
    .insertInto("quotas")
    .values({ owner, reserved_bytes: bytes, file_count: files })
    .onConflict((conflict) =>
      conflict
        .column("owner")
        .doUpdateSet({
          reserved_bytes: sql`quotas.reserved_bytes + excluded.reserved_bytes`,
          file_count: sql`quotas.file_count + excluded.file_count`,
        })
        // A place of bytes that are counted needs no room, even if the limit was lowered since.
        .where(
          sql<boolean>`(excluded.reserved_bytes = 0 OR quotas.used_bytes + quotas.reserved_bytes + excluded.reserved_bytes <= ${limitBytes})`,
        )
        // A started upload may grow even if the limit on files was lowered since.
        .where(sql<boolean>`(excluded.file_count = 0 OR quotas.file_count + excluded.file_count <= ${limitFiles})`),
    ),
);

/** Converts the reservation of a file into used bytes. */
export async function commitReservation(db: Db, reserved: ReservedFile): Promise<void> {
  await commitQuery.run(db, reserved);
}

interface ReservedFile {
  readonly owner: string;
  readonly reservedBytes: number;
  readonly usedBytes: number;
}

const commitQuery = preparedQuery((db, { owner, reservedBytes, usedBytes }: ReservedFile) =>
  db
    .updateTable("quotas")
    .set({ reserved_bytes: sql`max(0, reserved_bytes - ${reservedBytes})`, used_bytes: sql`used_bytes + ${usedBytes}` })
    .where("owner", "=", owner),
);

/** Releases reserved bytes that are not needed: the reservation of an aborted upload, or the excess of a completed upload. */
export async function cancelReservation(db: Db, { owner, bytes, files }: { owner: string; bytes: number; files: 0 | 1 }): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ reserved_bytes: sql`max(0, reserved_bytes - ${bytes})`, file_count: sql`max(0, file_count - ${files})` })
    .where("owner", "=", owner)
    .execute();
}

/** Releases the storage of removed files. */
export async function releaseQuota(db: Db, { owner, bytes, files }: { owner: string; bytes: number; files: number }): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ used_bytes: sql`max(0, used_bytes - ${bytes})`, file_count: sql`max(0, file_count - ${files})` })
    .where("owner", "=", owner)
    .execute();
}

/** Returns the used and reserved storage of an owner. */
export async function getQuota(db: Db, owner: string): Promise<QuotaUse> {
  const row = await db.selectFrom("quotas").selectAll().where("owner", "=", owner).executeTakeFirst();
  return { usedBytes: row?.used_bytes ?? 0, reservedBytes: row?.reserved_bytes ?? 0, files: row?.file_count ?? 0 };
}

/** Returns the sums of all quotas whose owner starts with `prefix`. */
export async function sumQuotas(db: Db, prefix: string): Promise<QuotaUse> {
  return await db
    .selectFrom("quotas")
    .select([
      sql<number>`coalesce(sum(used_bytes), 0)`.as("usedBytes"),
      sql<number>`coalesce(sum(reserved_bytes), 0)`.as("reservedBytes"),
      sql<number>`coalesce(sum(file_count), 0)`.as("files"),
    ])
    .where("owner", ">=", prefix)
    .where("owner", "<", `${prefix}\u{10ffff}`)
    .executeTakeFirstOrThrow();
}

/** Deletes the rows of owners that start with `prefix` and have no storage in use. */
export async function deleteEmptyQuotas(db: Db, prefix: string): Promise<void> {
  await db
    .deleteFrom("quotas")
    .where("owner", ">=", prefix)
    .where("owner", "<", `${prefix}\u{10ffff}`)
    .where("used_bytes", "=", 0)
    .where("reserved_bytes", "=", 0)
    .where("file_count", "=", 0)
    .execute();
}

/** Maximum number of upload sessions that a caller may have open. */
export const MAX_OPEN_UPLOADS = 20;

/** Counts the open upload sessions of a quota. Sessions that others opened for one of the account's requests do not count. */
export async function countOpenSessions(db: Db, quotaOwner: string): Promise<number> {
  const row = await db
    .selectFrom("upload_sessions")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("quota_owner", "=", quotaOwner)
    .where("submission_id", "is", null)
    .where("kind", "=", "multipart")
    .where("state", "<>", "completed")
    .executeTakeFirstOrThrow();
  return row.open;
}

/** Throws QUOTA_EXCEEDED (`FILE_SIZE`) if a file is larger than the tier allows. */
export function checkFileSize(sizeBytes: number, limits: TierLimits, tier: Tier): void {
  if (sizeBytes > limits.fileBytes) throw fileTooLarge(limits, tier);
}

export function fileTooLarge(limits: TierLimits, tier: Tier): AppError {
  const advice = tier === "pro" ? "Split it into smaller files." : "Split it, or use an account that allows larger files.";
  return new AppError("QUOTA_EXCEEDED", `The file is too large: the limit is ${formatSize(limits.fileBytes)}. ${advice}`, {
    fields: { limitKind: "FILE_SIZE", limitBytes: limits.fileBytes },
  });
}

/** The size of an upload's reservation. `files` is 0 if a started upload reserves more bytes. */
interface ReservationSize {
  readonly bytes: number;
  readonly files: number;
}

/** Reserves storage for an upload. Throws QUOTA_EXCEEDED if the owner has too little storage left or too many files. */
export async function reserveStorage(db: Db, actor: Actor, limits: TierLimits, wanted: ReservationSize): Promise<void> {
  const pool = await findPool(db, actor, limits);
  if (pool && pool.leftFiles < wanted.files) throw tooManyFiles(limits.files * SUBNET48_FACTOR, IN_SUBNET48);
  if (pool && pool.leftBytes < wanted.bytes) throw pool.fullError();
  if (await reserveQuota(db, toReservation(actor, limits, wanted))) return;
  const { files } = await getQuota(db, actor.quotaOwner);
  if (wanted.files > 0 && files + wanted.files > limits.files) throw tooManyFiles(limits.files);
  throw storageFull(actor, limits.storageMaxBytes);
}

/**
 * Reserves `wantedBytes` for an upload of unknown size, or `minBytes` if there is not that much left. Resolves to the reserved bytes; throws
 * as `reserveStorage` does.
 */
export async function reserveUpTo(
  db: Db,
  actor: Actor,
  limits: TierLimits,
  { wantedBytes, minBytes, files }: { wantedBytes: number; minBytes: number; files: number },
): Promise<number> {
  const pool = await findPool(db, actor, limits);
  const isEnough = pool === undefined || (pool.leftBytes >= wantedBytes && pool.leftFiles >= files);
  if (isEnough && (await reserveQuota(db, toReservation(actor, limits, { bytes: wantedBytes, files })))) return wantedBytes;
  await reserveStorage(db, actor, limits, { bytes: minBytes, files });
  return minBytes;
}

/** The storage that an actor has left, within its own limits and those of the storage that it shares with others. */
export async function readLeftStorage(db: Db, actor: Actor, limits: TierLimits): Promise<{ leftBytes: number; isUsed: boolean }> {
  const { usedBytes, reservedBytes } = await getQuota(db, actor.quotaOwner);
  const pool = await findPool(db, actor, limits);
  const own = limits.storageMaxBytes - usedBytes - reservedBytes;
  const leftBytes = Math.max(0, Math.min(own, pool?.leftBytes ?? own));
  return { leftBytes, isUsed: leftBytes < limits.storageMaxBytes };
}

const toReservation = (actor: Actor, limits: TierLimits, wanted: ReservationSize): Reservation => ({
  owner: actor.quotaOwner,
  ...wanted,
  limitBytes: limits.storageMaxBytes,
  limitFiles: limits.files,
});

/** The free part of storage that several owners share. */
interface Pool {
  readonly leftBytes: number;
  readonly leftFiles: number;
  /** Creates the error for an upload that exceeds the free bytes. */
  fullError(): AppError;
}

/** Finds the shared storage of an actor; undefined if the actor shares none. The numbers are exact within a transaction. */
async function findPool(db: Db, actor: Actor, { storageMaxBytes, files }: TierLimits): Promise<Pool | undefined> {
  if (actor.kind === "user") {
    const limitBytes = actor.poolBytes;
    if (limitBytes === undefined) return undefined;
    const used = await sumQuotas(db, AGENT_QUOTA_PREFIX);
    return { leftBytes: limitBytes - used.usedBytes - used.reservedBytes, leftFiles: Infinity, fullError: () => agentsFull(limitBytes) };
  }
  const prefix = subnet48QuotaPrefix(actor.quotaOwner);
  if (prefix === undefined) return undefined;
  const limitBytes = storageMaxBytes * SUBNET48_FACTOR;
  const used = await sumQuotas(db, prefix);
  return {
    leftBytes: limitBytes - used.usedBytes - used.reservedBytes,
    leftFiles: files * SUBNET48_FACTOR - used.files,
    fullError: () => storageFull(actor, limitBytes, IN_SUBNET48),
  };
}

const IN_SUBNET48 = " for uploads without a key from your network (/48)";

function tooManyFiles(limitFiles: number, scopeText = ""): AppError {
  return new AppError(
    "QUOTA_EXCEEDED",
    `The limit of ${limitFiles.toLocaleString("en-US")} ${limitFiles === 1 ? "file" : "files"}${scopeText} is reached. Delete files, or wait until some expire.`,
    { fields: { limitKind: "FILE_COUNT", limitBytes: null, limitFiles } },
  );
}

function storageFull(actor: Actor, limitBytes: number, scopeText = ""): AppError {
  return new AppError(
    "QUOTA_EXCEEDED",
    `The limit of ${formatSize(limitBytes)} of storage${scopeText} would be exceeded. Delete files, or wait until some expire.`,
    { fields: { limitKind: actor.kind === "anonymous" ? "ANON_STORAGE_QUOTA" : "STORAGE_QUOTA", limitBytes } },
  );
}

function agentsFull(limitBytes: number): AppError {
  return new AppError("QUOTA_EXCEEDED", "The storage for self-registered agents is full. Try again later, or use a person's account.", {
    fields: { limitKind: "INGEST_BUDGET", limitBytes },
  });
}
