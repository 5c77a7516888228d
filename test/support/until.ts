import { setTimeout as delay } from "node:timers/promises";

export interface UntilOptions {
  readonly deadlineMs?: number;
  /** A fixed pause between two polls. By default the pause grows with the wait, so that a long wait takes no processor time from other work. */
  readonly everyMs?: number;
}

const PAUSE = { shortestMs: 20, longestMs: 200, shareOfWait: 0.1 } as const;

/**
 * Polls until the condition returns something other than undefined, null or false, and resolves to that value. Rejects after the deadline (100 s by
 * default, less than the time-out of a test, enough for a busy machine) with `what` and the last error of the condition.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { deadlineMs = 100_000, everyMs }: UntilOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const start = performance.now();
  let lastError: unknown;
  for (;;) {
    try {
      const result = await condition();
      if (isMet(result)) return result;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    const waitedMs = performance.now() - start;
    if (waitedMs > deadlineMs) throw new Error(`Waited ${deadlineMs} ms until ${what}.`, { cause: lastError });
    await delay(everyMs ?? Math.min(PAUSE.longestMs, Math.max(PAUSE.shortestMs, waitedMs * PAUSE.shareOfWait)));
  }
}

function isMet<T>(result: T): result is Exclude<T, undefined | null | false> {
  return result !== undefined && result !== null && result !== false;
}
