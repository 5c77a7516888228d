import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `work` until it returns 0, and pauses after each batch for as long as it took: statements block the event loop, which requests need
 * too. Resolves to the total.
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
