import { setTimeout as delay } from "node:timers/promises";

export interface UntilOptions {
  readonly deadlineMs?: number;
  readonly everyMs?: number;
}

/**
 * Polls until the condition gives something other than undefined, null or false, and returns that.
 * Rejects past the deadline (30 s, so that a busy machine fails nothing), naming what was waited for and the last error that the condition threw.
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
    if (performance.now() > deadline) throw new Error(`Waited ${deadlineMs} ms in vain until ${what}.`, { cause: lastError });
    await delay(everyMs);
  }
}

function isMet<T>(result: T): result is Exclude<T, undefined | null | false> {
  return result !== undefined && result !== null && result !== false;
}
