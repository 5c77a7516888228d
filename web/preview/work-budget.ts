/** The time for which rendering may occupy the event loop before other requests continue. */
const SLICE_MS = 8;

/** Renderings that wait for their next slice. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a later iteration of the event loop, in which no other rendering has a slice. Requests therefore wait for one slice only, however many
 * renderings there are.
 */
function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}

/** Limits the time of one rendering, and runs other requests between its slices. */
export class WorkBudget {
  readonly #endMs: number;
  #sliceEndMs = 0;

  /** @param budgetMs The time until the end, including the slices of other renderings. */
  constructor(budgetMs: number) {
    this.#endMs = performance.now() + budgetMs;
  }

  get isSpent(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Waits for the next slice if there is none or it has ended. Call it before the first and between small pieces of work. */
  async pause(): Promise<void> {
    if (performance.now() < this.#sliceEndMs) return;
    await takeTurn();
    this.#sliceEndMs = performance.now() + SLICE_MS;
  }
}
