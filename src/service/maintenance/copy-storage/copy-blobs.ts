import { setTimeout as sleep } from "node:timers/promises";
import type { BlobStore } from "../../../blobs/store.ts";
import type { Db } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import { createLimiter } from "../../../lib/concurrency/limiter.ts";
import { type ComparedBlob, compareBlobs } from "./compare-blobs.ts";
import type { CopyLease } from "./copy-lease.ts";
import type { CopyStats } from "./copy-stats.ts";
import { readBlobStates } from "./queries.ts";
import { type BlobOutcome, type CopyAction, chooseAction, hasSameBytes, readSizes, reconcileBlob } from "./reconcile-blob.ts";

export interface CopyBlobs {
  readonly db: Db;
  readonly source: BlobStore;
  readonly target: BlobStore;
  /** Maximum number of concurrent copies. */
  readonly parallel: number;
  /** Whether to only count, without changes. */
  readonly dryRun: boolean;
  /** Whether to read and compare blobs that the target already has. */
  readonly verify: boolean;
  /** Whether to remove the bytes of removed files from the target. */
  readonly mayRemove: boolean;
  readonly lease: CopyLease;
  readonly stats: CopyStats;
}

/** Number of blobs whose keys one database write stores. After a killed copy, at most this many are read again. */
const BATCH_SIZE = 50;
const EXTRA_BATCH_SIZE = 500;
const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;

interface Task {
  readonly found: ComparedBlob;
  readonly action: CopyAction;
}

/**
 * Copies the bytes of every file to the target, and removes the bytes of removed files there. Safe while the source is in use, to kill at any point,
 * and to repeat. Counts a failed blob in `stats`; throws if a store is not available.
 */
export async function copyBlobs(copy: CopyBlobs): Promise<void> {
  const { lease, stats } = copy;
  const limiter = createLimiter(copy.parallel);
  const tasks: Task[] = [];
  const extras: string[] = [];
  const unseen = new Set(lease.unverified);

  async function startTasks(): Promise<void> {
    const batch = tasks.splice(0);
    if (batch.length > 0) await lease.begin(batch.map(({ found }) => found.row.blob_key));
    for (const task of batch) await limiter.start(() => runTask(copy, task));
  }

  try {
    for await (const found of compareBlobs(copy.db, copy.target)) {
      limiter.check();
      if (found.kind === "extra") {
        extras.push(found.key);
        if (extras.length === EXTRA_BATCH_SIZE) await removeExtras(copy, extras.splice(0));
        continue;
      }
      const isTrusted = !copy.verify && !lease.unverified.has(found.row.blob_key);
      unseen.delete(found.row.blob_key);
      const action = chooseAction(found, { isTrusted });
      if (action) tasks.push({ found, action });
      else stats.addPresent(found.row.size_bytes);
      if (tasks.length === BATCH_SIZE) await startTasks();
    }
    await startTasks();
    await removeExtras(copy, extras);
  } finally {
    await limiter.drain();
  }
  limiter.check();
  for (const key of unseen) lease.markVerified(key);
}

/** Runs a task, and retries while a store is unavailable. Continues if only this blob fails; throws if the whole store fails. */
async function runTask(copy: CopyBlobs, { found, action }: Task): Promise<void> {
  const { row } = found;
  for (let attempt = 1; ; attempt++) {
    try {
      const outcome = copy.dryRun ? await predictOutcome(copy, { found, action }) : await reconcile(copy, { found, action }, attempt);
      copy.stats.addOutcome(outcome, row.size_bytes);
      return copy.lease.markVerified(row.blob_key);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UNAVAILABLE") throw error;
      if (attempt < MAX_ATTEMPTS) await sleep(FIRST_PAUSE_MS * 4 ** (attempt - 1));
      else {
        await copy.source.check();
        await copy.target.check();
        return copy.stats.addOutcome({ kind: "failed", fileId: row.id, reason: error.message }, row.size_bytes);
      }
    }
  }
}

/** Reconciles a blob. From the second attempt on, reads its state again and verifies it. */
async function reconcile(copy: CopyBlobs, { found, action }: Task, attempt: number): Promise<BlobOutcome> {
  const context = { ...copy, onBytes: copy.stats.addBytesRead };
  if (attempt === 1) return await reconcileBlob(context, found, action);
  return await reconcileBlob(context, { ...found, sizes: await readSizes(copy.target, found.row.blob_key), staged: [] }, "verify");
}

/** Predicts the outcome of `reconcile`. */
async function predictOutcome(copy: CopyBlobs, { found, action }: Task): Promise<BlobOutcome> {
  if (action === "move") return { kind: "moved" };
  const isPresent = action === "verify" && (await hasSameBytes({ ...copy, onBytes: copy.stats.addBytesRead }, found.row, found.sizes));
  return { kind: isPresent ? "verified" : "copied" };
}

/** Removes the bytes of removed files. Counts other extra blobs and leaves them to the server's cleanup. */
async function removeExtras({ db, target, dryRun, mayRemove, stats }: CopyBlobs, found: readonly string[]): Promise<void> {
  const keys = [...new Set(found)];
  const states = await readBlobStates(db, keys);
  const removed = mayRemove ? keys.filter((key) => states.get(key) === "removed") : [];
  if (!dryRun) for (const key of removed) await target.remove(key);
  stats.addRemoved(removed.length);
  stats.addUnknown(keys.filter((key) => !states.has(key)).length);
}
