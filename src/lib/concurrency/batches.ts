import { setTimeout as sleep, setImmediate as yieldToEventLoop } from "node:timers/promises";

/**
 * Calls `work` until it returns 0. Pauses after each batch for as long as the batch took, because statements block the event loop, which requests
 * need too. Resolves to the total.
 */
export async function runInBatches(work: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const startedAtMs = performance.now();
    const count = await work();
    if (count === 0) return total;
    total += count;
    await sleep(Math.ceil(performance.now() - startedAtMs));
  }
}

/** Splits items into batches, between which other requests run. */
export async function* inBatches<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await yieldToEventLoop();
    yield items.slice(start, start + size);
  }
}
