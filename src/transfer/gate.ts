/** Pauses requests. A closed gate aborts running requests, and delays new ones until it opens. */
export class Gate {
  #closing = new AbortController();
  #waiting: (() => void)[] = [];

  get isOpen(): boolean {
    return !this.#closing.signal.aborted;
  }

  /** Aborts when the gate closes. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort();
  }

  open(): void {
    if (this.isOpen) return;
    this.#closing = new AbortController();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when the gate is open; rejects with the signal's reason. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    while (!this.isOpen) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      signal.throwIfAborted();
    }
  }
}
