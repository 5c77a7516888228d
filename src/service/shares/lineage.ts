import type { TransactionCtx } from "../../context.ts";
import { inJson, insertMany } from "../../db/bulk.ts";
import { AppError } from "../../errors.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import type { UserActor } from "../accounts/actor.ts";

/** Throws NOT_FOUND unless every upstream ID is another file of the caller, not another place of the same one. It may be deleted. */
export async function validateLineage(
  ctx: TransactionCtx,
  actor: UserActor,
  ids: readonly string[],
  upstream: readonly string[],
): Promise<void> {
  if (upstream.length === 0) return;
  const own = await ctx.db
    .selectFrom("files")
    .select(["id", "origin_id"])
    .where("id", "in", upstream)
    .where("owner_id", "=", actor.userId)
    .execute();
  const isSame =
    upstream.some((id) => ids.includes(id)) ||
    (await haveSameFile(
      ctx,
      ids,
      own.map(({ origin_id }) => origin_id),
    ));
  if (own.length === upstream.length && !isSame) return;
  throw new AppError("NOT_FOUND", "An upstream file was not found in your account. Send the IDs of your other files in upstreamFileIds.");
}

/** Returns whether one of the files is a place of a file with one of these `origin_id`. */
async function haveSameFile({ db }: TransactionCtx, ids: readonly string[], origins: readonly (string | null)[]): Promise<boolean> {
  const known = origins.filter((origin) => origin !== null);
  if (known.length === 0) return false;
  const place = await db
    .selectFrom("files")
    .select("id")
    .where("origin_id", "in", inJson(known))
    .where("id", "in", inJson(ids))
    .limit(1)
    .executeTakeFirst();
  return place !== undefined;
}

/** Number of files whose lineage one statement writes: with 100 upstream files each, 10,000 rows. */
const BATCH_SIZE = 100;

/** Replaces the upstream files of each file. */
export async function replaceLineage(ctx: TransactionCtx, ids: readonly string[], upstream: readonly string[]): Promise<void> {
  // Writes in the order of the indexes; in another order, a million rows take several times as long.
  for await (const batch of inBatches(ids.toSorted(), BATCH_SIZE)) {
    await ctx.db.deleteFrom("file_lineage").where("file_id", "in", inJson(batch)).execute();
    const rows = batch.flatMap((file_id) => upstream.map((upstream_id) => ({ file_id, upstream_id })));
    await insertMany(ctx.db, "file_lineage", rows);
  }
}
