import { setTimeout as sleep } from "node:timers/promises";
import type { BlobStore } from "../../blobs/store.ts";
import { findBlobStates } from "../../db/blob-rows.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { type ComparedBlob, compareBlobs } from "./compare-blobs.ts";
import type { CopyTally } from "./copy-tally.ts";
import type { CopyTurn } from "./copy-turn.ts";
import { createPool } from "./pool.ts";
import { isRight, type Need, needOf, type Settled, settleBlob, sizesAt } from "./settle-blob.ts";

export interface CopyBlobs {
  readonly db: Db;
  readonly source: BlobStore;
  readonly target: BlobStore;
  /** How many blobs are on their way at a time. */
  readonly parallel: number;
  /** Counts, and changes nothing. */
  readonly dryRun: boolean;
  /** Reads every blob at the target again, not only those that are new. */
  readonly verify: boolean;
  readonly turn: CopyTurn;
  readonly tally: CopyTally;
}

/** So many blobs share a write to the database, and so many at most are read again after a copy that was killed. */
const TOGETHER = 50;
const EXTRA_TOGETHER = 500;
const MAX_TRIES = 3;
const FIRST_WAIT_MS = 500;

interface Task {
  readonly found: ComparedBlob;
  readonly need: Need;
}

/**
 * Makes the target have the bytes of every file, and not any more those of files that are gone. Fine while the source is in use, to be killed at any
 * point, and to run again: what is there already is not read again. What is wrong with one blob is counted in `tally`; throws where a store does not work.
 */
export async function copyBlobs(copy: CopyBlobs): Promise<void> {
  const { turn, tally } = copy;
  const pool = createPool(copy.parallel);
  const tasks: Task[] = [];
  const extras: string[] = [];
  const unseen = new Set(turn.unproven);

  async function startTasks(): Promise<void> {
    const batch = tasks.splice(0);
    if (batch.length > 0) await turn.begin(batch.map(({ found }) => found.row.blob_key));
    for (const task of batch) await pool.start(() => carryOut(copy, task));
  }

  try {
    for await (const found of compareBlobs(copy.db, copy.target)) {
      pool.check();
      if (found.kind === "extra") {
        extras.push(found.key);
        if (extras.length === EXTRA_TOGETHER) await endExtras(copy, extras.splice(0));
        continue;
      }
      const isTrusted = !copy.verify && !turn.unproven.has(found.row.blob_key);
      unseen.delete(found.row.blob_key);
      const need = needOf(found, { isTrusted });
      if (need) tasks.push({ found, need });
      else tally.present(found.row.size_bytes);
      if (tasks.length === TOGETHER) await startTasks();
    }
    await startTasks();
    await endExtras(copy, extras);
  } finally {
    await pool.drain();
  }
  pool.check();
  for (const key of unseen) turn.settle(key);
}

/** Tries a few times where a store does not work. That one blob cannot be read is no reason to stop, that none can is. */
async function carryOut(copy: CopyBlobs, { found, need }: Task): Promise<void> {
  const { row } = found;
  for (let tries = 1; ; tries++) {
    try {
      const settled = copy.dryRun ? await foresee(copy, { found, need }) : await settle(copy, { found, need }, tries);
      copy.tally.settled(settled, row.size_bytes);
      return copy.turn.settle(row.blob_key);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UNAVAILABLE") throw error;
      if (tries < MAX_TRIES) await sleep(FIRST_WAIT_MS * 4 ** (tries - 1));
      else {
        await copy.source.check();
        await copy.target.check();
        return copy.tally.settled({ kind: "failed", fileId: row.id, reason: error.message }, row.size_bytes);
      }
    }
  }
}

async function settle(copy: CopyBlobs, { found, need }: Task, tries: number): Promise<Settled> {
  const copying = { ...copy, onBytes: copy.tally.read };
  if (tries === 1) return await settleBlob(copying, found, need);
  return await settleBlob(copying, { ...found, sizes: await sizesAt(copy.target, found.row.blob_key), staged: [] }, "verify");
}

/** What `settle` would do. */
async function foresee(copy: CopyBlobs, { found, need }: Task): Promise<Settled> {
  if (need === "move") return { kind: "moved" };
  const isThere = need === "verify" && (await isRight({ ...copy, onBytes: copy.tally.read }, found.row, found.sizes));
  return { kind: isThere ? "verified" : "copied" };
}

/** Removes what belongs to files that are gone. What belongs to no file at all may be somebody else's: the server's own cleanup decides. */
async function endExtras({ db, target, dryRun, tally }: CopyBlobs, found: readonly string[]): Promise<void> {
  const keys = [...new Set(found)];
  const states = await findBlobStates(db, keys);
  const gone = keys.filter((key) => states.get(key) === "gone");
  if (!dryRun) for (const key of gone) await target.remove(key);
  tally.removed(gone.length);
  tally.unknown(keys.filter((key) => !states.has(key)).length);
}
