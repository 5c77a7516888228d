import type { Logger } from "pino";
import { type ConnectionLimit, countOpenFiles, type OpenFileLimits, toThreshold } from "../../lib/system/open-files.ts";
import type { RunningServer } from "../../runtime/runtime.ts";

/** Idle timeout between requests. It exceeds the 60 s of proxies such as nginx, so that the proxy closes a connection first. */
export const KEEP_ALIVE_SECONDS = 65;

/** Idle timeout while bytes are sent. The runtime notices the progress of a slow client only when much of the socket's buffer is free again. */
export const TRANSFER_IDLE_SECONDS = 120;

/** Interval of checks. It is short, so that a burst of connections does not pass from the threshold to the limit between two checks. */
const CHECK_INTERVAL_MS = 250;
/** Minimum time between checks that requests cause. */
const RECHECK_AFTER_MS = 10;
const LOG_INTERVAL_MS = 60_000;
/** Fraction of the threshold below which connections are kept alive again. */
const RECOVERY_SHARE = 0.9;

/** The number of open files in relation to the limit of this process. */
export interface ConnectionWatch {
  /** Whether the threshold is passed, so that every response closes its connection. */
  readonly isScarce: boolean;
  /** Whether the limit is nearly reached, so that new requests are refused and the remaining files are reserved for running ones. */
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
 * Watches the open files of this process, because a runtime reports a connection only with its first request. Past the threshold, closes idle
 * connections until the count has fallen, but no connection with a running request. Does nothing without /proc.
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
    const open = countOpen(count, soft);
    if (open < threshold * RECOVERY_SHARE) state.isScarce = false;
    if (open >= threshold) state.isScarce = true;
    const closed = state.isScarce ? server.closeIdleConnections() : 0;
    state.isExhausted = open - closed >= exhausted;
    if (!state.isScarce || performance.now() - loggedAtMs < LOG_INTERVAL_MS) return;
    loggedAtMs = performance.now();
    log.warn({ openFiles: open, threshold, limit: soft, closed }, "too many connections; closing idle ones");
  };

  const timer = setInterval(check, CHECK_INTERVAL_MS);
  return {
    get isScarce() {
      return state.isScarce;
    },
    get isExhausted() {
      // Checks again before refusing: connections may have been closed since the last check.
      if (state.isExhausted && performance.now() - checkedAtMs > RECHECK_AFTER_MS) check();
      return state.isExhausted;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Returns the number of open files. Counting opens a file, so a failure means that the limit is reached. */
function countOpen(count: () => number, limit: number): number {
  try {
    return count();
  } catch {
    return limit;
  }
}
