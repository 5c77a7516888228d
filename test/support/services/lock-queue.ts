export interface Wait {
  readonly limitMs: number;
  /** Ends the wait of a client that has disconnected. */
  readonly signal: AbortSignal;
  /** Whether this waiter was woken and found the lock taken: it keeps its place before all others. */
  readonly isAgain: boolean;
}

/** The order of those who wait for one lock. */
export interface LockQueue {
  /** Resolves when the lock may be free for this waiter, when its time has passed, and when its client has disconnected. */
  wait(options: Wait): Promise<void>;
  /** Wakes the first waiter, because the lock may be free. */
  release(): void;
}

/** Waiters are woken one after the other, in the order of their arrival, so that nobody polls and a busy machine starves nobody. */
export function createLockQueue(): LockQueue {
  const waiting: (() => void)[] = [];
  return {
    wait({ limitMs, signal, isAgain }) {
      if (signal.aborted) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        waiting.splice(waiting.indexOf(wake), 1);
        resolve();
      };
      const timer = setTimeout(wake, limitMs);
      signal.addEventListener("abort", wake);
      if (isAgain) waiting.unshift(wake);
      else waiting.push(wake);
      return promise;
    },
    release: () => waiting[0]?.(),
  };
}
