import type { Db } from "../../db/database.ts";
import { reserveQuota, sumQuotas } from "../../db/quotas.ts";
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

/**
 * Sets aside what an upload of unknown size would like to have, or what it needs at least where there is not that much: it may well
 * end before. Resolves to what was set aside; throws as `reserveStorage` does.
 */
export async function reserveUpTo(
  db: Db,
  actor: Actor,
  limits: TierLimits,
  { wantedBytes, leastBytes }: { wantedBytes: number; leastBytes: number },
): Promise<number> {
  const pool = await findPool(db, actor, limits);
  const hasRoom = pool === undefined || pool.leftBytes >= wantedBytes;
  if (hasRoom && (await reserveQuota(db, { owner: actor.quotaOwner, bytes: wantedBytes, limitBytes: limits.storageMaxBytes })))
    return wantedBytes;
  await reserveStorage(db, actor, limits, leastBytes);
  return leastBytes;
}

/** Sets bytes aside for an upload; throws QUOTA_EXCEEDED where the storage of its owner does not have them. */
export async function reserveStorage(db: Db, actor: Actor, limits: TierLimits, bytes: number): Promise<void> {
  const pool = await findPool(db, actor, limits);
  if (pool && pool.leftBytes < bytes) throw pool.isFull();
  const limitBytes = limits.storageMaxBytes;
  if (await reserveQuota(db, { owner: actor.quotaOwner, bytes, limitBytes })) return;
  throw storageFull(actor, limitBytes);
}

/** What several owners may store together. */
interface Pool {
  readonly leftBytes: number;
  isFull(): AppError;
}

/** The pool that an owner's storage comes out of; undefined where it is the owner's alone. Exact within a transaction. */
async function findPool(db: Db, actor: Actor, { storageMaxBytes }: TierLimits): Promise<Pool | undefined> {
  if (actor.kind === "user") {
    const limitBytes = actor.poolBytes;
    if (limitBytes === undefined) return undefined;
    return { leftBytes: limitBytes - (await sumQuotas(db, AGENT_QUOTA_PREFIX)), isFull: () => agentsFull(limitBytes) };
  }
  const prefix = wideQuotaPrefix(actor.quotaOwner);
  if (prefix === undefined) return undefined;
  const limitBytes = storageMaxBytes * WIDE_GROUP_FACTOR;
  return {
    leftBytes: limitBytes - (await sumQuotas(db, prefix)),
    isFull: () => storageFull(actor, limitBytes, " that callers without a key have in your network (/48)"),
  };
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
