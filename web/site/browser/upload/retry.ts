/** Repeats the page's requests after temporary failures and pauses (pages, "How the page's uploads are repeated"). */
import { createRetry as createRetryWith, type RetryOptions as Options, type Retry } from "../../../../src/transfer/retry.ts";

export type RetryOptions = Omit<Options, "pause">;

export const createRetry = (options: RetryOptions): Retry => createRetryWith({ ...options, pause });

/** Waits. `endsOnline`: the wait ends when the network returns, and not while it is down. */
function pause(ms: number, { signal, endsOnline }: { readonly signal: AbortSignal; readonly endsOnline: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const listening = new AbortController();
    const end = (settle: () => void) => () => {
      listening.abort();
      settle();
    };
    signal.addEventListener(
      "abort",
      end(() => reject(signal.reason)),
      { signal: listening.signal },
    );
    if (endsOnline) addEventListener("online", end(resolve), { signal: listening.signal });
    if (!endsOnline || navigator.onLine) setTimeout(end(resolve), ms);
  });
}
