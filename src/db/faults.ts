import { AppError } from "../errors.ts";

/** How long a statement or transaction waits for another process's write lock before it gives up, in milliseconds. */
export const BUSY_DEADLINE_MS = 15_000;

const LONGEST_PAUSE_MS = 50;

/** UNAVAILABLE, with the advice to come again in two seconds. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError("UNAVAILABLE", message, { cause, headers: { "Retry-After": "2" } });
}

/** True where another connection holds the lock that was wanted: trying again later is right. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === "SQLITE_BUSY" || code.startsWith("SQLITE_BUSY_");
}

/** A driver's error as the callers of the database meet it: UNAVAILABLE when locked, STORAGE_FULL when the disk is; others as they are. */
export function toDatabaseError(error: unknown): unknown {
  if (isBusy(error)) return unavailable("The database is busy. Please try again in a moment.", error);
  if (codeOf(error) === "SQLITE_FULL") {
    return new AppError("STORAGE_FULL", "The server's disk is full. Please tell its operator.", { cause: error });
  }
  return error;
}

/** Runs `attempt` until the lock is free, without ever blocking the event loop; rejects with UNAVAILABLE after `BUSY_DEADLINE_MS`. */
export async function whileBusy<T>(attempt: () => T | Promise<T>): Promise<T> {
  const until = performance.now() + BUSY_DEADLINE_MS;
  for (let attempts = 0; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw toDatabaseError(error);
    }
    await pauseBeforeRetry(attempts);
  }
}

/** Waits some milliseconds: longer with each attempt, and never the same as another process that waits too. */
export function pauseBeforeRetry(attempts: number, longestMs = LONGEST_PAUSE_MS): Promise<void> {
  const pauseMs = Math.min(longestMs, 2 ** attempts);
  return new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random() / 2)));
}

/** The `code` of an error; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
