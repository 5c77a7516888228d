import { AppError } from "../errors.ts";
import { isTemporary } from "../transfer/failures.ts";

/** How long the server asks to wait after an error, in milliseconds; 0 if it does not say. Throws an error that lasts. */
export function waitOf(error: unknown): number {
  if (!(error instanceof AppError)) throw error;
  const waitMs = (error.retryAfterSeconds ?? 0) * 1000;
  if (!isTemporary(error.status, waitMs === 0 ? undefined : waitMs)) throw error;
  return waitMs;
}
