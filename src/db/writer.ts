import { setImmediate } from "node:timers";
import { AppError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { BUSY_DEADLINE_MS, isBusy, pauseBeforeRetry, toDatabaseError } from "./faults.ts";

export interface WriterOptions {
  readonly connection: Connection;
  /** Called after each commit with the number of transactions that it made durable. */
  readonly onCommit?: (transactions: number) => void;
}

export interface Work<T> {
  /** `statement`: one statement, which undoes itself when it fails. `transaction`: several, undone together. */
  readonly kind: "statement" | "transaction";
  readonly run: () => T | Promise<T>;
}

/** The one road to a local file's write lock. */
export interface Writer {
  /** Runs `work` when its turn comes and settles once it is durable, or undone. Rejects with UNAVAILABLE where the lock is not to be had. */
  submit<T>(work: Work<T>): Promise<T>;
  /** Refuses new work and resolves when all that was accepted has ended. */
  drain(): Promise<void>;
}

interface Job {
  readonly kind: Work<unknown>["kind"];
  readonly waitingSinceMs: number;
  /** Runs the work and says how to tell its caller that it is durable; throws what the work throws. */
  readonly run: () => Promise<() => void>;
  readonly reject: (reason: unknown) => void;
}

/** Tells a caller how it ended, given how the commit went. */
type Ending = (commitError: unknown) => void;

const BATCH_SIZE = 128;
const BATCH_MS = 20;

/**
 * Group commit: work that waits together runs one after the other inside one BEGIN IMMEDIATE … COMMIT, each transaction in a savepoint
 * of its own, and all are answered after that one fsync. Work that comes while a batch runs joins it, up to 128 in number or 20 ms.
 */
export function createWriter({ connection, onCommit }: WriterOptions): Writer {
  const waiting: Job[] = [];
  let pumping: Promise<void> | undefined;
  let draining = false;

  async function pump(): Promise<void> {
    while (waiting.length > 0) {
      // Requests that arrived in the same turn of the event loop get to queue first.
      await new Promise((resolve) => setImmediate(resolve));
      if (await begin()) await commit(await runBatch());
    }
    pumping = undefined;
  }

  async function begin(): Promise<boolean> {
    for (let attempts = 0; waiting.length > 0; attempts++) {
      try {
        connection.exec("BEGIN IMMEDIATE");
        return true;
      } catch (error) {
        rejectWaiting(error, isBusy(error) ? performance.now() - BUSY_DEADLINE_MS : Number.POSITIVE_INFINITY);
      }
      await pauseBeforeRetry(attempts);
    }
    return false;
  }

  function rejectWaiting(error: unknown, sinceMs: number): void {
    while (waiting[0] && waiting[0].waitingSinceMs <= sinceMs) waiting.shift()?.reject(toDatabaseError(error));
  }

  async function runBatch(): Promise<Ending[]> {
    const endings: Ending[] = [];
    const untilMs = performance.now() + BATCH_MS;
    do {
      const job = waiting.shift();
      if (!job) break;
      endings.push(await runJob(job));
    } while (connection.inTransaction && endings.length < BATCH_SIZE && performance.now() < untilMs);
    return endings;
  }

  async function runJob(job: Job): Promise<Ending> {
    const guarded = job.kind === "transaction";
    try {
      if (guarded) connection.run("SAVEPOINT work");
      const resolve = await job.run();
      if (guarded) connection.run("RELEASE work");
      return (commitError) => (commitError === undefined ? resolve() : job.reject(commitError));
    } catch (error) {
      if (guarded) undoWork();
      return () => job.reject(toDatabaseError(error));
    }
  }

  function undoWork(): void {
    // A full disk or an I/O error has undone the whole batch by itself.
    if (!connection.inTransaction) return;
    try {
      connection.run("ROLLBACK TO work");
      connection.run("RELEASE work");
    } catch {
      undoBatch();
    }
  }

  function undoBatch(): void {
    try {
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      // Then the next BEGIN fails too, and says why to those who wait.
    }
  }

  async function commit(endings: readonly Ending[]): Promise<void> {
    const error = await tryCommit(endings.length);
    for (const end of endings) end(error);
    if (error === undefined) onCommit?.(endings.length);
  }

  async function tryCommit(transactions: number): Promise<unknown> {
    if (!connection.inTransaction) return undoneWithOthers();
    try {
      await connection.commit();
      return undefined;
    } catch (error) {
      undoBatch();
      const reason = toDatabaseError(error);
      return transactions === 1 || reason instanceof AppError ? reason : undoneWithOthers(error);
    }
  }

  return {
    submit(work) {
      if (draining) return Promise.reject(new AppError("UNAVAILABLE", "The server is shutting down. Please try again in a moment."));
      return new Promise((resolve, reject) => {
        const run = async () => {
          const value = await work.run();
          return () => resolve(value);
        };
        waiting.push({ kind: work.kind, waitingSinceMs: performance.now(), run, reject });
        pumping ??= pump();
      });
    },
    async drain() {
      draining = true;
      await pumping;
    },
  };
}

function undoneWithOthers(cause?: unknown): AppError {
  return new AppError("UNAVAILABLE", "The change could not be saved. Please try again.", { cause });
}
