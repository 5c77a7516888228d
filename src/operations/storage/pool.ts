/** Runs a few pieces of work at a time; the first one that fails ends it. */
export interface Pool {
  /** Starts `work` as soon as there is room, and resolves then. Throws what an earlier piece has thrown. */
  start(work: () => Promise<void>): Promise<void>;
  /** Throws what a piece of work has thrown. */
  check(): void;
  /** Resolves when nothing runs any more. Never rejects. */
  drain(): Promise<void>;
}

/** `size`: how many run at once. */
export function createPool(size: number): Pool {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;

  function check(): void {
    if (failure) throw failure.error;
  }

  return {
    check,
    async start(work) {
      while (running.size >= size) await Promise.race(running);
      check();
      const piece = work()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(piece));
      running.add(piece);
    },
    async drain() {
      await Promise.all(running);
    },
  };
}
