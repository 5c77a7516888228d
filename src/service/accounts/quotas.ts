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
  /** Files that start with this reservation. */
  readonly files: number;
  readonly limitFiles: number;
}

/** What one owner uses and has reserved, or several together. */
export interface QuotaUse {
  readonly usedBytes: number;
  readonly reservedBytes: number;
  readonly files: number;
}

/** Reserves bytes and counts files; false, and nothing changes, if that would exceed a limit. Exact under concurrency. */
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
        .where(sql<boolean>`quotas.used_bytes + quotas.reserved_bytes + excluded.reserved_bytes <= ${limitBytes}`)
        // A started upload may grow even if the limit on files was lowered since.
        .where(sql<boolean>`(excluded.file_count = 0 OR quotas.file_count + excluded.file_count <= ${limitFiles})`),
    ),
);

/** Turns the reservation of a file into used bytes. */
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

/** Releases reserved bytes that are not needed: all of an aborted upload, with its file, or the excess of one that completes. */
export async function cancelReservation(db: Db, { owner, bytes, files }: { owner: string; bytes: number; files: 0 | 1 }): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ reserved_bytes: sql`max(0, reserved_bytes - ${bytes})`, file_count: sql`max(0, file_count - ${files})` })
    .where("owner", "=", owner)
    .execute();
}

/** Releases what removed files used. */
export async function releaseQuota(db: Db, { owner, bytes, files }: { owner: string; bytes: number; files: number }): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ used_bytes: sql`max(0, used_bytes - ${bytes})`, file_count: sql`max(0, file_count - ${files})` })
    .where("owner", "=", owner)
    .execute();
}

/** What an owner uses and has reserved. */
export async function getQuota(db: Db, owner: string): Promise<QuotaUse> {
  const row = await db.selectFrom("quotas").selectAll().where("owner", "=", owner).executeTakeFirst();
  return { usedBytes: row?.used_bytes ?? 0, reservedBytes: row?.reserved_bytes ?? 0, files: row?.file_count ?? 0 };
}

/** The sums over all owners that start with `prefix`. */
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

/** Deletes the rows of owners that start with `prefix` and store nothing. */
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

/** Counts the open upload sessions of a quota, without those of others who send files to a request of its account. */
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

/** What an upload reserves: bytes, and files, which is 0 if a started upload reserves more. */
interface ReservationSize {
  readonly bytes: number;
  readonly files: number;
}

/** Reserves storage for an upload. Throws QUOTA_EXCEEDED if its owner has too little left, or too many files. */
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

const toReservation = (actor: Actor, limits: TierLimits, wanted: ReservationSize): Reservation => ({
  owner: actor.quotaOwner,
  ...wanted,
  limitBytes: limits.storageMaxBytes,
  limitFiles: limits.files,
});

/** What is left of storage that several owners share. */
interface Pool {
  readonly leftBytes: number;
  readonly leftFiles: number;
  /** The error for more bytes than are left. */
  fullError(): AppError;
}

/** The shared storage of an actor; undefined if it shares none. Exact within a transaction. */
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
