/** Repeats what may succeed later, and says meanwhile what is the matter. Loaded when the first file is sent. */

/** Connections that are lost one after another, and answers that do not say when to come again. */
const MOST_TRIES = 8;
const LONGEST_PAUSE_MS = 20_000;
/** A server that asks for a longer wait asks a person to come back: the general rate's window is a minute. */
const LONGEST_WAIT_MS = 90_000;
const SHORTEST_WAIT_MS = 250;

const MAY_PASS = new Set([408, 409, 425, 429, 507]);
const CONTINUES = "We’ll continue automatically.";
/** What the page says while it waits, by status. @type {Readonly<Record<number, string>>} */
const WAITS = {
  408: `Connection lost. ${CONTINUES}`,
  409: `Server is busy; waiting. ${CONTINUES}`,
  429: `Too many requests; waiting. ${CONTINUES}`,
  503: `Server is busy; waiting. ${CONTINUES}`,
  507: `Server is out of space; waiting. ${CONTINUES}`,
};
/** What it says in the end, where the answer has no sentence for people. @type {Readonly<Record<number, string>>} */
const ENDS = {
  429: "Too many requests came from your network. Try again later.",
  503: "The server is busy. Try again in a few minutes.",
  507: "The server is out of space. Try again later, or tell its administrator.",
};

/** Trying again would not help. Its message is a sentence for people. */
export class Refusal extends Error {}

/** May pass. Its message is for the case that it does not; `wait` says what is the matter until then. */
export class Trouble extends Error {
  /** @param {string} message @param {string} wait @param {number} [waitMs] As the server asks. */
  constructor(message, wait, waitMs) {
    super(message);
    this.wait = wait;
    this.waitMs = waitMs;
  }
}

export const lostConnection = () => new Trouble("The upload was interrupted. Check your connection and try again.", WAITS[408] ?? "");

/**
 * What an answer means that is no success.
 * @param {number} status @param {string | null} retryAfter The header. @param {string | null} [reason] The server's own sentence.
 */
export function failureOf(status, retryAfter, reason) {
  const waitMs = retryAfterMs(retryAfter);
  const end = reason || ENDS[status] || "The server could not take the upload. Please try again.";
  const isAsked = waitMs !== undefined && (status >= 500 || MAY_PASS.has(status));
  const isUnnamed = waitMs === undefined && (status === 408 || status === 429 || (status >= 500 && status !== 507));
  if (!isUnnamed && !(isAsked && waitMs <= LONGEST_WAIT_MS)) return new Refusal(end);
  return new Trouble(end, WAITS[status] ?? `Server has a problem; waiting. ${CONTINUES}`, waitMs);
}

/** Milliseconds of a `Retry-After`, which has seconds or a date; undefined where it has neither. @param {string | null} value */
export function retryAfterMs(value) {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - Date.now());
}

/**
 * Makes a function that repeats what fails with `Trouble`: as long as the server asks for a wait, else for about a minute and as long as the
 * browser is offline.
 * @param {{ signal: AbortSignal, onWait: (reason: string) => void }} options `onWait` is told why nothing leaves for now; empty: it does again.
 */
export function createRetry({ signal, onWait }) {
  /** What waits now, of several that are sent at a time. @type {Map<symbol, string>} */
  const waits = new Map();
  const tell = () => onWait([...waits.values()].at(-1) ?? "");

  /** @template Result @param {(attempt: number, onAlive: () => void) => Promise<Result>} act @returns {Promise<Result>} */
  return async function retry(act) {
    const id = Symbol();
    const clear = () => waits.delete(id) && tell();
    let failures = 0;
    try {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await act(attempt, clear);
        } catch (error) {
          if (!(error instanceof Trouble)) throw error;
          if (error.waitMs === undefined) failures += 1;
          if (failures >= MOST_TRIES) throw error;
          waits.set(id, error.wait);
          tell();
          const { waitMs } = error;
          if (waitMs === undefined) await pause(Math.min(LONGEST_PAUSE_MS, 250 * 2 ** failures), signal, true);
          else await pause(Math.max(SHORTEST_WAIT_MS, waitMs), signal, false);
        }
      }
    } finally {
      clear();
    }
  };
}

/** @param {number} ms @param {AbortSignal} signal @param {boolean} endsOnline Sooner when the network is back, and not while there is none. @returns {Promise<void>} */
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
