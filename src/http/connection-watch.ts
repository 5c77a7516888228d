import type { Logger } from "pino";
import { type ConnectionLimit, countOpenFiles, type OpenFileLimits, toThreshold } from "../open-files.ts";
import type { RunningServer } from "../runtime/runtime.ts";

/** Often enough that no burst of connections gets from the threshold to the limit in between. */
const CHECK_EVERY_MS = 250;
/** So that a flood of requests does not look for each of them. */
const RECHECK_AFTER_MS = 10;
const LOG_EVERY_MS = 60_000;
/** Of the threshold: below it, connections are kept open again. */
const RELIEF = 0.9;

/** Whether this process is running out of what it may open. */
export interface ConnectionWatch {
  /** Every answer closes its connection. */
  readonly isScarce: boolean;
  /** What is left is kept for requests that have begun: new ones are refused. */
  readonly isExhausted: boolean;
}

export const UNWATCHED: ConnectionWatch = { isScarce: false, isExhausted: false };

export interface ConnectionWatchOptions {
  readonly limit: ConnectionLimit;
  readonly openFiles: Pick<OpenFileLimits, "soft"> | undefined;
  readonly log: Logger;
  readonly count?: () => number;
}

/**
 * Counts what this process has open, since a runtime names no connection before its first request. Past the threshold, closes the
 * connections between two requests until the count has fallen. No request that has begun is cut. Without /proc nothing is watched.
 */
export function watchConnections(
  server: Pick<RunningServer, "closeIdleConnections">,
  { limit, openFiles, log, count = countOpenFiles }: ConnectionWatchOptions,
): ConnectionWatch & Disposable {
  const state = { isScarce: false, isExhausted: false };
  if (openFiles === undefined) return { ...state, [Symbol.dispose]() {} };
  const { soft } = openFiles;
  const threshold = toThreshold(limit, soft);
  const exhausted = threshold + (soft - threshold) / 2;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  const check = (): void => {
    checkedAtMs = performance.now();
    const open = countOr(count, soft);
    if (open < threshold * RELIEF) state.isScarce = false;
    if (open >= threshold) state.isScarce = true;
    const closed = state.isScarce ? server.closeIdleConnections() : 0;
    state.isExhausted = open - closed >= exhausted;
    if (!state.isScarce || performance.now() - loggedAtMs < LOG_EVERY_MS) return;
    loggedAtMs = performance.now();
    log.warn({ openFiles: open, threshold, limit: soft, closed }, "too many connections: closing idle ones");
  };

  const timer = setInterval(check, CHECK_EVERY_MS);
  return {
    get isScarce() {
      return state.isScarce;
    },
    get isExhausted() {
      // Before a request is refused: idle ones may have been closed, or become so, since the last look.
      if (state.isExhausted && performance.now() - checkedAtMs > RECHECK_AFTER_MS) check();
      return state.isExhausted;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Where even counting would need another one, all of them are open. */
function countOr(count: () => number, all: number): number {
  try {
    return count();
  } catch {
    return all;
  }
}
