import { setTimeout as delay } from "node:timers/promises";

export interface UntilOptions {
  readonly deadlineMs?: number;
  readonly everyMs?: number;
}

/**
 * Polls until the condition returns something other than undefined, null or false, and resolves to that.
 * Rejects after the deadline (30 s by default, enough for a busy machine) with `what` and the last error of the condition.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { deadlineMs = 30_000, everyMs = 20 }: UntilOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + deadlineMs;
  let lastError: unknown;
  for (;;) {
    try {
      const result = await condition();
      if (isMet(result)) return result;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) throw new Error(`Waited ${deadlineMs} ms until ${what}.`, { cause: lastError });
    await delay(everyMs);
  }
}

function isMet<T>(result: T): result is Exclude<T, undefined | null | false> {
  return result !== undefined && result !== null && result !== false;
}
