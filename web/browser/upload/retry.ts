/** Repeats requests after temporary failures and pauses, and reports the reason meanwhile (pages, "How the page's uploads are repeated"). */
import { TemporaryFailure } from "./failures.ts";
import type { Gate } from "./gate.ts";

/** Consecutive failures without `Retry-After`. */
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 20_000;
const MIN_WAIT_MS = 250;

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly gate: Gate;
  /** Receives the reason of a wait, or an empty text when it ends. */
  onWait(reason: string): void;
}

export interface Attempt {
  /** From 0. */
  readonly index: number;
  /** Aborts the request when the upload is paused or cancelled. */
  readonly signal: AbortSignal;
  /** The connection works again. */
  onAlive(): void;
}

export type Retry = <Result>(act: (attempt: Attempt) => Promise<Result>) => Promise<Result>;

/**
 * Makes a function that repeats an action while it fails with `TemporaryFailure`: as often as the server sends `Retry-After`, otherwise for
 * about a minute plus the time offline.
 */
export function createRetry({ signal, gate, onWait }: RetryOptions): Retry {
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
          if (error.waitMs === undefined) await wait(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures), { signal, endsOnline: true });
          else await wait(Math.max(MIN_WAIT_MS, error.waitMs), { signal, endsOnline: false });
        }
      }
    } finally {
      onAlive();
    }
  };
}

/** `endsOnline`: ends when the network is back, and not while it is down. */
function wait(ms: number, { signal, endsOnline }: { readonly signal: AbortSignal; readonly endsOnline: boolean }): Promise<void> {
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

/** A fresh `Idempotency-Key`. `randomUUID` needs HTTPS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
