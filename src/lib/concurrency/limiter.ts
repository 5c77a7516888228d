/** Runs a limited number of tasks at a time; starts none after one has failed. */
export interface Limiter {
  /** Starts `task` once fewer than the maximum run, and resolves when it has started. Throws the first error of an earlier task. */
  start(task: () => Promise<void>): Promise<void>;
  /** Throws the first error of any task. */
  check(): void;
  /** Resolves when no task is running. Never rejects. */
  drain(): Promise<void>;
}

/** Creates a limiter. `maxRunning` is the maximum number of tasks that run at the same time. */
export function createLimiter(maxRunning: number): Limiter {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;

  function check(): void {
    if (failure) throw failure.error;
  }

  return {
    check,
    async start(task) {
      while (running.size >= maxRunning) await Promise.race(running);
      check();
      const run = task()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(run));
      running.add(run);
    },
    async drain() {
      await Promise.all(running);
    },
  };
}
