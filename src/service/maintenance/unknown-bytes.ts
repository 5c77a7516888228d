import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import type { UnknownBlobTable } from "../../db/tables/servers.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import { DAY_MS, HOUR_MS } from "../../lib/text/duration.ts";
import { findRemovalStop } from "../storage/store-pair.ts";
import { findOrphans, type Orphan, removeOrphan } from "./orphans.ts";

/** Minimum retention of unknown bytes; a longer quarantine extends it. */
const KEEP_MS = 7 * DAY_MS;
/** Retention of staged bytes, which have served no download and would fill the disk. */
const KEEP_STAGED_MS = HOUR_MS;
/** The maximum part of all blobs that one run removes. */
const REMOVED_SHARE = 0.01;
/** Number of orphans that one run may remove even from a small store. */
const LEAST = { blobs: 1, staged: 10 } as const;
/** Maximum number of recorded orphans. Further orphans are recorded after these are removed. */
const MAX_RECORDED = 10_000;
const BATCH_SIZE = 100;

/** The result of a search: the records of orphans, and the size of the store. */
interface Search {
  readonly beganAtMs: number;
  readonly storedBlobs: number;
}

/**
 * Records the time at which orphans were first seen, and removes those seen long enough ago, in one run at most a small part of a store (storage,
 * "Bytes that nobody knows"). Resolves to the number of removed orphans.
 */
export async function removeOldOrphans(ctx: Ctx): Promise<number> {
  const search = await recordOrphans(ctx);
  let removed = 0;
  for await (const batch of inBatches(await listDue(ctx, search), BATCH_SIZE)) {
    // Checks again for each batch, because the search may have taken long.
    if (await findRemovalStop(ctx)) return removed;
    for (const { place, blob_key: key, staged_ref: ref } of batch) {
      await removeOrphan(ctx, place === "staging" ? { key, staged: { key, ref } } : { key });
      await deleteRecord(ctx, { place, blob_key: key, staged_ref: ref });
      removed += 1;
    }
  }
  return removed;
}

/** Counts the orphans that `removeOldOrphans` would remove now, without recording new ones. */
export async function countOldOrphans(ctx: Ctx): Promise<number> {
  if (await findRemovalStop(ctx)) return 0;
  let storedBlobs = 0;
  const found = new Set<string>();
  for await (const orphan of findOrphans(ctx, (count) => (storedBlobs += count))) found.add(toId(toRecord(orphan)));
  const due = await listDue(ctx, { beganAtMs: 0, storedBlobs });
  return due.filter((record) => found.has(toId(record))).length;
}

/** Returns the number of recorded orphans. */
export async function countUnknownBlobs({ db }: Pick<Ctx, "db">): Promise<number> {
  const { count } = await db
    .selectFrom("unknown_blobs")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes the records of orphans, so that their retention starts anew in a store that was adopted. */
export async function forgetUnknownBlobs({ db }: Pick<Ctx, "db">): Promise<void> {
  await db.deleteFrom("unknown_blobs").execute();
}

type RecordKey = Pick<UnknownBlobTable, "place" | "blob_key" | "staged_ref">;

const toRecord = ({ where, key, staged }: Orphan): RecordKey => ({ place: where, blob_key: key, staged_ref: staged?.ref ?? "" });
const toId = ({ place, blob_key, staged_ref }: RecordKey): string => [place, blob_key, staged_ref].join(" ");

/** Searches the whole store. If the search fails, no record changes and nothing is due. */
async function recordOrphans(ctx: Ctx): Promise<Search> {
  const beganAtMs = ctx.now();
  let storedBlobs = 0;
  let recorded = 0;
  let records: RecordKey[] = [];
  for await (const orphan of findOrphans(ctx, (count) => (storedBlobs += count))) {
    if (orphan.unknownFile || recorded === MAX_RECORDED) continue;
    recorded += 1;
    records.push(toRecord(orphan));
    if (records.length < BATCH_SIZE) continue;
    await saveRecords(ctx, records);
    records = [];
  }
  await saveRecords(ctx, records);
  await ctx.db.deleteFrom("unknown_blobs").where("last_seen_at", "<", beganAtMs).execute();
  return { beganAtMs, storedBlobs };
}

async function saveRecords(ctx: Ctx, records: readonly RecordKey[]): Promise<void> {
  if (records.length === 0) return;
  const nowMs = ctx.now();
  await ctx.db
    .insertInto("unknown_blobs")
    .values(records.map((record) => ({ ...record, first_seen_at: nowMs, last_seen_at: nowMs })))
    .onConflict((conflict) =>
      conflict.columns(["place", "blob_key", "staged_ref"]).doUpdateSet({
        last_seen_at: nowMs,
        // Takes the earlier time, because a clock that was ahead must not extend the retention.
        first_seen_at: sql`min(unknown_blobs.first_seen_at, ${nowMs})`,
      }),
    )
    .execute();
}

/** Lists the oldest records that may be removed, of blobs and of staged bytes. */
async function listDue(ctx: Ctx, { beganAtMs, storedBlobs }: Search): Promise<RecordKey[]> {
  const share = Math.floor(storedBlobs * REMOVED_SHARE);
  const list = (staged: boolean, keepMs: number, least: number): Promise<RecordKey[]> =>
    ctx.db
      .selectFrom("unknown_blobs")
      .select(["place", "blob_key", "staged_ref"])
      .where("place", staged ? "=" : "<>", "staging")
      .where("first_seen_at", "<=", ctx.now() - keepMs)
      .where("last_seen_at", ">=", beganAtMs)
      .orderBy("first_seen_at")
      .limit(Math.max(share, least))
      .execute();
  const keepMs = Math.max(KEEP_MS, ctx.config.quarantineDays * DAY_MS);
  return [...(await list(false, keepMs, LEAST.blobs)), ...(await list(true, KEEP_STAGED_MS, LEAST.staged))];
}

async function deleteRecord({ db }: Ctx, { place, blob_key, staged_ref }: RecordKey): Promise<void> {
  await db
    .deleteFrom("unknown_blobs")
    .where("place", "=", place)
    .where("blob_key", "=", blob_key)
    .where("staged_ref", "=", staged_ref)
    .execute();
}
