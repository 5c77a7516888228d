import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { isTemporary } from "../../transfer/failures.ts";

/** The number of waits for one request, each as long as the server names. */
const MAX_WAITS = 3;

/**
 * Repeats a request that the server refuses because there were too many, up to three times, after the time that the server names. `onWait` receives
 * the reason of a wait, or an empty text when the wait ends.
 */
export async function retryWhileRateLimited<T>(act: () => Promise<T>, onWait: (reason: string) => void): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await act();
    } catch (error) {
      const seconds = waits < MAX_WAITS ? secondsUntilAllowed(error) : undefined;
      if (seconds === undefined) throw error;
      onWait(`The server has had too many requests from this address. Waiting ${countOf(seconds, "second")}.`);
      await sleep(seconds * 1000);
      onWait("");
    }
  }
}

/**
 * Returns the seconds to wait. Undefined if a wait does not help: it is another error, the wait is longer than a command may wait, or a proof of work
 * is required.
 */
function secondsUntilAllowed(error: unknown): number | undefined {
  if (!(error instanceof AppError) || error.code !== "RATE_LIMITED" || error.retryAfterSeconds === undefined) return undefined;
  if (error.fields && "challenge" in error.fields) return undefined;
  return isTemporary(error.status, error.retryAfterSeconds * 1000) ? error.retryAfterSeconds : undefined;
}
