import type { Db } from "../../db/database.ts";
import { findQuota, type Reservation, reserveQuota, sumQuotas } from "../../db/quotas.ts";
import { type Actor, AGENT_QUOTA_PREFIX, wideQuotaPrefix } from "../../domain/actor.ts";
import { WIDE_GROUP_FACTOR } from "../../domain/address.ts";
import { describeBytes, type Tier, type TierLimits } from "../../domain/tiers.ts";
import { AppError } from "../../errors.ts";

/** Uploads in parts that a caller may have open at once. */
export const MAX_OPEN_UPLOADS = 20;

/** Throws QUOTA_EXCEEDED (`FILE_SIZE`) where a file is larger than the tier allows. */
export function checkFileSize(sizeBytes: number, limits: TierLimits, tier: Tier): void {
  if (sizeBytes > limits.fileBytes) throw fileTooLarge(limits, tier);
}

export function fileTooLarge(limits: TierLimits, tier: Tier): AppError {
  const advice = tier === "pro" ? "Split it into smaller files." : "Split it, or use an account that allows larger files.";
  return new AppError("QUOTA_EXCEEDED", `Files may have ${describeBytes(limits.fileBytes)} at most here. ${advice}`, {
    fields: { limitKind: "FILE_SIZE", limitBytes: limits.fileBytes },
  });
}

/** What an upload sets aside: bytes, and the file that begins with it (0 where more is set aside for one that has begun). */
interface Wanted {
  readonly bytes: number;
  readonly files: number;
}

/**
 * Sets aside what an upload of unknown size would like to have, or what it needs at least where there is not that much: it may well
 * end before. Resolves to what was set aside; throws as `reserveStorage` does.
 */
export async function reserveUpTo(
  db: Db,
  actor: Actor,
  limits: TierLimits,
  { wantedBytes, leastBytes, files }: { wantedBytes: number; leastBytes: number; files: number },
): Promise<number> {
  const pool = await findPool(db, actor, limits);
  const hasRoom = pool === undefined || (pool.leftBytes >= wantedBytes && pool.leftFiles >= files);
  if (hasRoom && (await reserveQuota(db, toReservation(actor, limits, { bytes: wantedBytes, files })))) return wantedBytes;
  await reserveStorage(db, actor, limits, { bytes: leastBytes, files });
  return leastBytes;
}

/** Sets storage aside for an upload; throws QUOTA_EXCEEDED where its owner does not have it, or has as many files as it may. */
export async function reserveStorage(db: Db, actor: Actor, limits: TierLimits, wanted: Wanted): Promise<void> {
  const pool = await findPool(db, actor, limits);
  if (pool && pool.leftFiles < wanted.files) throw tooManyFiles(limits.files * WIDE_GROUP_FACTOR, IN_THE_NETWORK);
  if (pool && pool.leftBytes < wanted.bytes) throw pool.isFull();
  if (await reserveQuota(db, toReservation(actor, limits, wanted))) return;
  const { files } = await findQuota(db, actor.quotaOwner);
  if (wanted.files > 0 && files + wanted.files > limits.files) throw tooManyFiles(limits.files);
  throw storageFull(actor, limits.storageMaxBytes);
}

const toReservation = (actor: Actor, limits: TierLimits, wanted: Wanted): Reservation => ({
  owner: actor.quotaOwner,
  ...wanted,
  limitBytes: limits.storageMaxBytes,
  limitFiles: limits.files,
});

/** What several owners may store together. */
interface Pool {
  readonly leftBytes: number;
  readonly leftFiles: number;
  /** The refusal where the bytes are too many. */
  isFull(): AppError;
}

/** The pool that an owner's storage comes out of; undefined where it is the owner's alone. Exact within a transaction. */
async function findPool(db: Db, actor: Actor, { storageMaxBytes, files }: TierLimits): Promise<Pool | undefined> {
  if (actor.kind === "user") {
    const limitBytes = actor.poolBytes;
    if (limitBytes === undefined) return undefined;
    const used = await sumQuotas(db, AGENT_QUOTA_PREFIX);
    return { leftBytes: limitBytes - used.usedBytes - used.reservedBytes, leftFiles: Infinity, isFull: () => agentsFull(limitBytes) };
  }
  const prefix = wideQuotaPrefix(actor.quotaOwner);
  if (prefix === undefined) return undefined;
  const limitBytes = storageMaxBytes * WIDE_GROUP_FACTOR;
  const used = await sumQuotas(db, prefix);
  return {
    leftBytes: limitBytes - used.usedBytes - used.reservedBytes,
    leftFiles: files * WIDE_GROUP_FACTOR - used.files,
    isFull: () => storageFull(actor, limitBytes, IN_THE_NETWORK),
  };
}

const IN_THE_NETWORK = " that callers without a key have in your network (/48)";

function tooManyFiles(limitFiles: number, whose = ""): AppError {
  return new AppError(
    "QUOTA_EXCEEDED",
    `The limit of ${limitFiles.toLocaleString("en-US")} files${whose} is reached. Delete some files, or wait until some expire.`,
    { fields: { limitKind: "FILE_COUNT", limitBytes: null, limitFiles } },
  );
}

function storageFull(actor: Actor, limitBytes: number, whose = ""): AppError {
  return new AppError(
    "QUOTA_EXCEEDED",
    `This would pass the ${describeBytes(limitBytes)} of storage${whose}. Delete some files, or wait until some expire.`,
    { fields: { limitKind: actor.kind === "anonymous" ? "ANON_STORAGE_QUOTA" : "STORAGE_QUOTA", limitBytes } },
  );
}

function agentsFull(limitBytes: number): AppError {
  return new AppError(
    "QUOTA_EXCEEDED",
    "The storage that this server has for agents which registered themselves is full. Try again later, or use a person's account.",
    { fields: { limitKind: "INGEST_BUDGET", limitBytes } },
  );
}
