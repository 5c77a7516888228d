/** Returns a quantile of durations in milliseconds. A `portion` of 0.5 is the median. */
export function quantile(tookMs: readonly number[], portion: number): number {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * portion))];
  if (value === undefined) throw new Error("nothing was asked for");
  return value;
}

/** Sends `times` requests in sequence. Resolves to their durations in milliseconds. */
export async function askInTurn(times: number, ask: () => Promise<void>): Promise<number[]> {
  const tookMs: number[] = [];
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    await ask();
    tookMs.push(performance.now() - started);
  }
  return tookMs;
}

/** Sends a request every `everyMs` until `isOver`, without waiting for responses. Resolves to their durations in milliseconds. */
export async function askSteadily(everyMs: number, ask: () => Promise<void>, isOver: () => boolean): Promise<number[]> {
  const tookMs: number[] = [];
  const pending = new Set<Promise<void>>();
  const started = performance.now();
  let failure: unknown;
  for (let n = 0; !isOver() && failure === undefined; n++) {
    const dueMs = started + n * everyMs;
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

/** Reads a whole response. Rejects if its status is an error. */
export async function get(url: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
}
