import { withTimeout } from "./with-timeout.ts";

/** A caller that waits for a resource. */
export interface Waiter {
  /** The key by which waiters are limited. */
  readonly key: string | undefined;
  /** Takes the resource and returns true; false if it is not available yet. */
  attempt(): boolean;
  readonly timeoutMs: number;
  refusal(): Error;
}

export interface WaitQueue<W extends Waiter> {
  /**
   * Resolves when the waiter's attempt succeeds. Rejects with its refusal after its timeout, and immediately if too many wait already, in total or
   * for its key.
   */
  wait(waiter: W): Promise<void>;
  /** Retries all waiters in the order of arrival. Must be called when the resource may be available. */
  wake(): void;
  some(matches: (waiter: W) => boolean): boolean;
}

export function createWaitQueue<W extends Waiter>(maxWaiting: { readonly total: number; readonly perKey: number }): WaitQueue<W> {
  const waiting = new Map<W, () => void>();
  return {
    async wait(waiter) {
      const sameKey = [...waiting.keys()].filter(({ key }) => key === waiter.key);
      if (waiting.size >= maxWaiting.total || sameKey.length >= maxWaiting.perKey) throw waiter.refusal();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(waiter, resolve);
      await withTimeout(promise, waiter.timeoutMs, () => {
        waiting.delete(waiter);
        throw waiter.refusal();
      });
    },
    wake() {
      for (const [waiter, resolve] of waiting) {
        if (!waiter.attempt()) continue;
        waiting.delete(waiter);
        resolve();
      }
    },
    some: (matches) => waiting.keys().some(matches),
  };
}
