import { AppError } from "../errors.ts";

/** Maximum wait for another process's write lock. */
export const BUSY_TIMEOUT_MS = 15_000;

const MAX_PAUSE_MS = 50;

/** Creates the error UNAVAILABLE with `Retry-After: 2`. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError("UNAVAILABLE", message, { cause, retryAfterSeconds: 2 });
}

/** Returns whether another connection has the lock, so that a retry may succeed. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === "SQLITE_BUSY" || code.startsWith("SQLITE_BUSY_");
}

/** Translates a driver's error: a lock to UNAVAILABLE, a full disk to STORAGE_FULL. Returns any other error unchanged. */
export function toDatabaseError(error: unknown): unknown {
  if (isBusy(error)) return unavailable("The database is busy. Try again in a moment.", error);
  if (codeOf(error) === "SQLITE_FULL") {
    return new AppError("STORAGE_FULL", "The server's disk is full. Tell the administrator.", { cause: error });
  }
  return error;
}

/** Retries `attempt` until the lock is free, without blocking the event loop. Throws UNAVAILABLE after `BUSY_TIMEOUT_MS`. */
export async function retryUntilUnlocked<T>(attempt: () => T | Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS;
  for (let attempts = 0; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadlineMs) throw toDatabaseError(error);
    }
    await pauseBeforeRetry(attempts);
  }
}

/** Waits before a retry: longer after each attempt, with jitter so that waiting processes do not collide. */
export function pauseBeforeRetry(attempts: number, maxPauseMs = MAX_PAUSE_MS): Promise<void> {
  const pauseMs = Math.min(maxPauseMs, 2 ** attempts);
  return new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random() / 2)));
}

/** Returns the `code` of an error, or "". */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
