import { setTimeout as sleep } from "node:timers/promises";

/**
 * Does a batch after the other until `work` says that there was nothing left, and rests after each as long as it took: statements hold the
 * event loop, and requests want it too. Resolves to how many were dealt with.
 */
export async function inShortBatches(work: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const begunMs = performance.now();
    const count = await work();
    if (count === 0) return total;
    total += count;
    await sleep(Math.ceil(performance.now() - begunMs));
  }
}
