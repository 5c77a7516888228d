import type { Db } from "../../db/database.ts";
import { reserveQuota, sumQuotas } from "../../db/quotas.ts";
import { type Actor, AGENT_QUOTA_PREFIX } from "../../domain/actor.ts";
import { describeBytes, type Tier, type TierLimits } from "../../domain/tiers.ts";
import { AppError } from "../../errors.ts";

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
  const fits = (await leftInPool(db, actor)) >= wantedBytes;
  if (fits && (await reserveQuota(db, { owner: actor.quotaOwner, bytes: wantedBytes, limitBytes: limits.storageMaxBytes })))
    return wantedBytes;
  await reserveStorage(db, actor, limits, leastBytes);
  return leastBytes;
}

/** Sets bytes aside for an upload; throws QUOTA_EXCEEDED where the storage of its owner does not have them. */
export async function reserveStorage(db: Db, actor: Actor, limits: TierLimits, bytes: number): Promise<void> {
  if ((await leftInPool(db, actor)) < bytes) throw poolFull(actor);
  const limitBytes = limits.storageMaxBytes;
  if (await reserveQuota(db, { owner: actor.quotaOwner, bytes, limitBytes })) return;
  throw new AppError(
    "QUOTA_EXCEEDED",
    `This would pass the ${describeBytes(limitBytes)} of storage. Delete some files, or wait until some expire.`,
    {
      fields: { limitKind: actor.kind === "anonymous" ? "ANON_STORAGE_QUOTA" : "STORAGE_QUOTA", limitBytes },
    },
  );
}

/** What agents that registered themselves may still store together; without end for everyone else. Exact within a transaction. */
async function leftInPool(db: Db, actor: Actor): Promise<number> {
  if (actor.kind === "anonymous" || actor.poolBytes === undefined) return Number.POSITIVE_INFINITY;
  return actor.poolBytes - (await sumQuotas(db, AGENT_QUOTA_PREFIX));
}

function poolFull(actor: Actor): AppError {
  const limitBytes = actor.kind === "user" ? actor.poolBytes : undefined;
  return new AppError(
    "QUOTA_EXCEEDED",
    "The storage that this server has for agents which registered themselves is full. Try again later, or use a person's account.",
    { fields: { limitKind: "INGEST_BUDGET", limitBytes } },
  );
}
