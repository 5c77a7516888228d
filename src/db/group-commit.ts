import { setImmediate } from "node:timers";
import { AppError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { BUSY_TIMEOUT_MS, isBusy, pauseBeforeRetry, toDatabaseError } from "./errors.ts";

export interface GroupCommitOptions {
  readonly connection: Connection;
  /** Called before each batch, outside of transactions. Throws if nothing may be written now. */
  readonly checkFiles?: () => void;
  /** Receives, after each commit, the number of transactions in it. */
  readonly onCommit?: (transactions: number) => void;
}

export interface QueuedWrite<T> {
  /** The kind of the work. `statement`: one statement, atomic without a savepoint; `transaction`: several statements, in a savepoint. */
  readonly kind: "statement" | "transaction";
  readonly run: () => T | Promise<T>;
}

/** The only access to a local file's write lock. */
export interface GroupCommit {
  /** Queues `work` and settles once it is durable or rolled back. Rejects with UNAVAILABLE if the lock is not free in time. */
  submit<T>(work: QueuedWrite<T>): Promise<T>;
  /** Rejects new work and resolves when all accepted work has ended. */
  drain(): Promise<void>;
}

interface QueuedWork {
  readonly kind: QueuedWrite<unknown>["kind"];
  readonly queuedAtMs: number;
  /** Runs the work and rethrows its errors. The caller calls the result after the commit, to resolve the promise of the work. */
  readonly run: () => Promise<() => void>;
  readonly reject: (reason: unknown) => void;
}

/** Settles a caller's promise by the outcome of the commit. */
type Completion = (commitError: unknown) => void;

const BATCH_SIZE = 128;
const BATCH_MS = 20;

/**
 * Runs queued work one after the other inside one BEGIN IMMEDIATE … COMMIT, each transaction in a savepoint, and settles all of it after
 * one fsync. Work submitted meanwhile joins the batch, up to `BATCH_SIZE` or `BATCH_MS`.
 */
export function createGroupCommit({ connection, checkFiles, onCommit }: GroupCommitOptions): GroupCommit {
  const waiting: QueuedWork[] = [];
  let processing: Promise<void> | undefined;
  let isDraining = false;

  /** Processes the queue. Never rejects, because later work must find an idle queue. */
  async function processQueue(): Promise<void> {
    try {
      while (waiting.length > 0) {
        // Waits so that every request of this iteration of the event loop joins the batch.
        await new Promise((resolve) => setImmediate(resolve));
        if (await begin()) await commit(await runBatch());
      }
    } catch (error) {
      rejectWaiting(error, Number.POSITIVE_INFINITY);
    } finally {
      processing = undefined;
    }
  }

  async function begin(): Promise<boolean> {
    for (let attempts = 0; waiting.length > 0; attempts++) {
      try {
        checkFiles?.();
        connection.exec("BEGIN IMMEDIATE");
        return true;
      } catch (error) {
        rejectWaiting(error, isBusy(error) ? performance.now() - BUSY_TIMEOUT_MS : Number.POSITIVE_INFINITY);
      }
      await pauseBeforeRetry(attempts);
    }
    return false;
  }

  function rejectWaiting(error: unknown, queuedUntilMs: number): void {
    while (waiting[0] && waiting[0].queuedAtMs <= queuedUntilMs) waiting.shift()?.reject(toDatabaseError(error));
  }

  async function runBatch(): Promise<Completion[]> {
    const completions: Completion[] = [];
    const expiresAtMs = performance.now() + BATCH_MS;
    do {
      const queued = waiting.shift();
      if (!queued) break;
      completions.push(await runQueued(queued));
    } while (connection.inTransaction && completions.length < BATCH_SIZE && performance.now() < expiresAtMs);
    return completions;
  }

  async function runQueued(queued: QueuedWork): Promise<Completion> {
    const isTransaction = queued.kind === "transaction";
    try {
      if (isTransaction) connection.run("SAVEPOINT work");
      const resolve = await queued.run();
      if (isTransaction) connection.run("RELEASE work");
      return (commitError) => (commitError === undefined ? resolve() : queued.reject(commitError));
    } catch (error) {
      if (isTransaction) rollBackWork();
      return () => queued.reject(toDatabaseError(error));
    }
  }

  function rollBackWork(): void {
    // On a full disk or an I/O error, SQLite has rolled back the whole batch.
    if (!connection.inTransaction) return;
    try {
      connection.run("ROLLBACK TO work");
      connection.run("RELEASE work");
    } catch {
      rollBackBatch();
    }
  }

  function rollBackBatch(): void {
    try {
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      // The next BEGIN fails too and rejects the queued work with the reason.
    }
  }

  async function commit(completions: readonly Completion[]): Promise<void> {
    const error = await tryCommit(completions.length);
    for (const complete of completions) complete(error);
    if (error === undefined) onCommit?.(completions.length);
  }

  async function tryCommit(transactions: number): Promise<unknown> {
    if (!connection.inTransaction) return rolledBackWithBatch();
    try {
      await connection.commit();
      return undefined;
    } catch (error) {
      rollBackBatch();
      const reason = toDatabaseError(error);
      return transactions === 1 || reason instanceof AppError ? reason : rolledBackWithBatch(error);
    }
  }

  return {
    submit(work) {
      if (isDraining) return Promise.reject(new AppError("UNAVAILABLE", "The server is shutting down. Try again in a moment."));
      return new Promise((resolve, reject) => {
        const run = async () => {
          const value = await work.run();
          return () => resolve(value);
        };
        waiting.push({ kind: work.kind, queuedAtMs: performance.now(), run, reject });
        processing ??= processQueue();
      });
    },
    async drain() {
      isDraining = true;
      await processing;
    },
  };
}

function rolledBackWithBatch(cause?: unknown): AppError {
  return new AppError("UNAVAILABLE", "The change could not be saved. Try again.", { cause });
}
