/** A share of how long requests took, in milliseconds: `portion` 0.5 is the median, 0.99 what one in a hundred exceeds. */
export function quantile(tookMs: readonly number[], portion: number): number {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * portion))];
  if (value === undefined) throw new Error("nothing was asked for");
  return value;
}

/** Asks `times` times, one after the other; how long each took, in milliseconds. */
export async function askInTurn(times: number, ask: () => Promise<void>): Promise<number[]> {
  const tookMs: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = performance.now();
    await ask();
    tookMs.push(performance.now() - begun);
  }
  return tookMs;
}

/** Asks every `everyMs`, whether the earlier ones were answered or not, until `isOver`; how long each took, in milliseconds. */
export async function askSteadily(everyMs: number, ask: () => Promise<void>, isOver: () => boolean): Promise<number[]> {
  const tookMs: number[] = [];
  const pending = new Set<Promise<void>>();
  const begun = performance.now();
  let failure: unknown;
  for (let n = 0; !isOver() && failure === undefined; n++) {
    const dueMs = begun + n * everyMs;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const sentMs = performance.now();
    const asked = ask()
      .then(() => void tookMs.push(performance.now() - sentMs))
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => pending.delete(asked));
    pending.add(asked);
  }
  await Promise.all(pending);
  if (failure !== undefined) throw failure;
  return tookMs;
}

/** Takes a whole answer; rejects where it is a refusal. */
export async function get(url: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
