import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { findRemovalStop } from "../storage/store-pair.ts";
import { findOrphans, type Orphan, removeOrphan } from "./orphans.ts";
import { forgetUnknownBlobs } from "./unknown-bytes.ts";

const BATCH_SIZE = 100;

/** Number of orphans that an administrator would remove, by location. */
export type OrphanCounts = Readonly<Record<Orphan["where"] | "unknownFiles", number>>;

/** Counts all orphans and unknown files. */
export async function countOrphans(ctx: Ctx): Promise<OrphanCounts> {
  const counts = { visible: 0, quarantine: 0, staging: 0, unknownFiles: 0 };
  for await (const { where, unknownFile } of findOrphans(ctx)) counts[unknownFile ? "unknownFiles" : where] += 1;
  return counts;
}

/**
 * Removes all orphans and unknown files, however new, after an administrator's confirmation. Resolves to their number. Throws CONFLICT while removal
 * is stopped for the store.
 */
export async function removeAllOrphans(ctx: Ctx): Promise<number> {
  await checkMayRemove(ctx);
  let removed = 0;
  for await (const orphan of findOrphans(ctx)) {
    if (removed > 0 && removed % BATCH_SIZE === 0) await checkMayRemove(ctx);
    await removeOrphan(ctx, orphan);
    removed += 1;
  }
  await forgetUnknownBlobs(ctx);
  return removed;
}

/** Throws CONFLICT while removal is stopped for the store. */
export async function checkMayRemove(ctx: Ctx): Promise<void> {
  const stop = await findRemovalStop(ctx);
  if (stop) throw new AppError("CONFLICT", stop);
}
