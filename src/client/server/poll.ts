import { setTimeout as sleep } from "node:timers/promises";
import { waitOf } from "./retry.ts";

export interface Polling {
  readonly signal: AbortSignal;
  /** The shortest time between two requests. */
  readonly everyMs: number;
  /** Receives the reason why the server is asked again later; an empty text when it has responded. */
  onWait(reason: string): void;
}

/**
 * Yields what each call of `request` resolves to. After a temporary failure it calls again, after the time that the server names. Rejects with a
 * permanent error, or the signal's reason.
 */
export async function* poll<T>({ signal, everyMs, onWait }: Polling, request: () => Promise<T>): AsyncGenerator<T, never, void> {
  for (;;) {
    let waitMs = everyMs;
    let found: { readonly value: T } | undefined;
    try {
      found = { value: await request() };
      onWait("");
    } catch (error) {
      signal.throwIfAborted();
      waitMs = Math.max(everyMs, waitOf(error));
      onWait(error instanceof Error ? error.message : "");
    }
    if (found) yield found.value;
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
