/** How long rendering may occupy the event loop before other requests continue. */
const SLICE_MS = 8;

/** Limits the time of one rendering, and lets other requests run in between. */
export class WorkBudget {
  readonly #endMs: number;
  #sliceEndMs: number;

  constructor(budgetMs: number) {
    const nowMs = performance.now();
    this.#endMs = nowMs + budgetMs;
    this.#sliceEndMs = nowMs + SLICE_MS;
  }

  get isSpent(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Call between small pieces of work. Resolves in a later turn of the event loop if this one was long. */
  async pause(): Promise<void> {
    if (performance.now() < this.#sliceEndMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#sliceEndMs = performance.now() + SLICE_MS;
  }
}
