import { withTimeout } from "./with-timeout.ts";

/** Maximum wait for a mutex, and the error after it. */
export interface MutexTimeout {
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
}

/** A lock with one holder at a time, granted in the order of calls. */
export interface Mutex {
  /** Whether a caller has acquired the mutex. */
  readonly isHeld: boolean;
  /**
   * Acquires the mutex. Resolves to the function that releases it, whose repeated calls do nothing. Waits without limit unless a timeout is given.
   */
  acquire(timeout?: MutexTimeout): Promise<() => void>;
  /** Runs `work` with the mutex, and settles as `work` does. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  const waiting = new Set<() => void>();
  let isHeld = false;

  function release(): void {
    const [next] = waiting;
    if (!next) {
      isHeld = false;
      return;
    }
    waiting.delete(next);
    next();
  }

  function createRelease(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
  }

  async function acquire(timeout?: MutexTimeout): Promise<() => void> {
    if (!isHeld) {
      isHeld = true;
      return createRelease();
    }
    const { promise: next, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    if (!timeout) await next;
    else
      await withTimeout(next, timeout.timeoutMs, () => {
        waiting.delete(resolve);
        throw timeout.timeoutError();
      });
    return createRelease();
  }

  return {
    get isHeld() {
      return isHeld;
    },
    acquire,
    async run(work) {
      const release = await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
