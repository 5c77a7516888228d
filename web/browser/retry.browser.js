/** Repeats requests after temporary failures and reports the reason meanwhile. Loaded when the first file is sent. */

/** Consecutive failures without `Retry-After`. */
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 20_000;
/** A longer `Retry-After` ends the upload. The window of the general rate is a minute. */
const MAX_WAIT_MS = 90_000;
const MIN_WAIT_MS = 250;

const TEMPORARY_STATUSES = new Set([408, 409, 425, 429, 507]);
const CONTINUES = "We’ll continue automatically.";
/** What the page shows while it waits, by status. @type {Readonly<Record<number, string>>} */
const WAIT_MESSAGES = {
  408: `Connection lost. ${CONTINUES}`,
  409: `Server is busy; waiting. ${CONTINUES}`,
  429: `Too many requests; waiting. ${CONTINUES}`,
  503: `Server is busy; waiting. ${CONTINUES}`,
  507: `Server is out of space; waiting. ${CONTINUES}`,
};
/** What the page shows after the last try, if the response has no message. @type {Readonly<Record<number, string>>} */
const FINAL_MESSAGES = {
  429: "Too many requests came from your network. Try again later.",
  503: "The server is busy. Try again in a few minutes.",
  507: "The server is out of space. Try again later, or tell the administrator.",
};

/** A permanent failure. Its message is a sentence for people. */
export class Refusal extends Error {}

/** A temporary failure. Its message is shown after the last try, `wait` until then. */
export class TemporaryFailure extends Error {
  /** @param {string} message @param {string} wait @param {number} [waitMs] As the server asks. */
  constructor(message, wait, waitMs) {
    super(message);
    this.wait = wait;
    this.waitMs = waitMs;
  }
}

export const lostConnection = () =>
  new TemporaryFailure("The upload was interrupted. Check your connection and try again.", WAIT_MESSAGES[408] ?? "");

/**
 * Converts an unsuccessful response to a `Refusal` or a `TemporaryFailure`.
 * @param {number} status @param {string | null} retryAfter The header. @param {string | null} [reason] The server's message.
 */
export function toFailure(status, retryAfter, reason) {
  const waitMs = retryAfterMs(retryAfter);
  const message = reason || FINAL_MESSAGES[status] || "The server could not accept the upload. Try again.";
  const hasRetryAfter = waitMs !== undefined && (status >= 500 || TEMPORARY_STATUSES.has(status));
  const isTemporaryWithoutRetryAfter = waitMs === undefined && (status === 408 || status === 429 || (status >= 500 && status !== 507));
  if (!isTemporaryWithoutRetryAfter && !(hasRetryAfter && waitMs <= MAX_WAIT_MS)) return new Refusal(message);
  return new TemporaryFailure(message, WAIT_MESSAGES[status] ?? `Server has a problem; waiting. ${CONTINUES}`, waitMs);
}

/** Parses a `Retry-After` of seconds or a date to milliseconds; undefined if it is neither. @param {string | null} value */
export function retryAfterMs(value) {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - Date.now());
}

/**
 * Makes a function that repeats an action while it fails with `TemporaryFailure`: as often as the server sends `Retry-After`, otherwise for
 * about a minute plus the time offline.
 * @param {{ signal: AbortSignal, onWait: (reason: string) => void }} options `onWait` receives the reason of a pause, or an empty text when it ends.
 */
export function createRetry({ signal, onWait }) {
  /** The reasons of the current pauses. @type {Map<symbol, string>} */
  const waits = new Map();
  const report = () => onWait([...waits.values()].at(-1) ?? "");

  /** @template Result @param {(attempt: number, onAlive: () => void) => Promise<Result>} act @returns {Promise<Result>} */
  return async function retry(act) {
    const id = Symbol();
    const clear = () => waits.delete(id) && report();
    let failures = 0;
    try {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await act(attempt, clear);
        } catch (error) {
          if (!(error instanceof TemporaryFailure)) throw error;
          if (error.waitMs === undefined) failures += 1;
          if (failures >= MAX_TRIES) throw error;
          waits.set(id, error.wait);
          report();
          const { waitMs } = error;
          if (waitMs === undefined) await pause(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures), signal, true);
          else await pause(Math.max(MIN_WAIT_MS, waitMs), signal, false);
        }
      }
    } finally {
      clear();
    }
  };
}

/** @param {number} ms @param {AbortSignal} signal @param {boolean} endsOnline Ends when the network is back, and not while it is down. @returns {Promise<void>} */
function pause(ms, signal, endsOnline) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    if (endsOnline) addEventListener("online", () => resolve(), { once: true });
    if (!endsOnline || navigator.onLine) setTimeout(resolve, ms);
  });
}

/** A fresh `Idempotency-Key`. `randomUUID` needs HTTPS. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
