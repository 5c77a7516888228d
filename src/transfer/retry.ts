import { TemporaryFailure } from "./failures.ts";
import type { Gate } from "./gate.ts";

/** The number of consecutive failures without `Retry-After`. */
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 20_000;
const MIN_WAIT_MS = 250;

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly gate: Gate;
  /** Receives the reason of a wait, or an empty text when the wait ends. */
  onWait(reason: string): void;
  /** Waits before the next try. `endsOnline` ends the wait when the network returns, if that is known. Rejects with the signal's reason. */
  pause(ms: number, options: { readonly signal: AbortSignal; readonly endsOnline: boolean }): Promise<void>;
}

export interface RequestAttempt {
  /** The number of the try, from 0. */
  readonly index: number;
  /** Aborts the request when the transfer is paused or cancelled. */
  readonly signal: AbortSignal;
  /** Reports that the connection works again. */
  onAlive(): void;
}

export type Retry = <Result>(act: (attempt: RequestAttempt) => Promise<Result>) => Promise<Result>;

/**
 * Makes a function that repeats an action while it fails with `TemporaryFailure`: as often as the server sends `Retry-After`, otherwise for
 * about a minute plus the time offline.
 */
export function createRetry({ signal, gate, onWait, pause }: RetryOptions): Retry {
  /** The reasons of the current waits. */
  const waits = new Map<symbol, string>();
  const report = () => onWait([...waits.values()].at(-1) ?? "");

  return async (act) => {
    const id = Symbol();
    const onAlive = () => void (waits.delete(id) && report());
    let failures = 0;
    try {
      for (let index = 0; ; index += 1) {
        await gate.whenOpen(signal);
        const attempt = AbortSignal.any([signal, gate.signal]);
        try {
          return await act({ index, signal: attempt, onAlive });
        } catch (error) {
          signal.throwIfAborted();
          if (attempt.aborted) continue;
          if (!(error instanceof TemporaryFailure)) throw error;
          if (error.waitMs === undefined) failures += 1;
          if (failures >= MAX_TRIES) throw error;
          waits.set(id, error.wait);
          report();
          if (error.waitMs === undefined) await pause(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures), { signal, endsOnline: true });
          else await pause(Math.max(MIN_WAIT_MS, error.waitMs), { signal, endsOnline: false });
        }
      }
    } finally {
      onAlive();
    }
  };
}

/** Makes a new `Idempotency-Key`. `randomUUID` needs HTTPS in browsers. */
export function newRandomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
