import { setImmediate } from "node:timers";
import type { Connection } from "./connection.ts";
import { isBusy } from "./errors.ts";

/** Detects commits to a database file, by any process. */
export interface ChangeDetector {
  /** Returns the same object until the next commit, and then another; undefined while the file is locked. */
  state(): object | undefined;
  /** Makes the next `state()` read the version again. Call it after each commit of this process. */
  invalidate(): void;
}

/**
 * Creates a detector that compares SQLite's `data_version`, which changes with every commit of another connection; `reader` never commits. It reads
 * the version once per iteration of the event loop, because a commit that this misses is later than the requests of that iteration.
 */
export function createChangeDetector(reader: Connection): ChangeDetector {
  let state: { readonly version: unknown } | undefined;
  let isFresh = false;
  const invalidate = () => {
    isFresh = false;
  };
  return {
    invalidate,
    state() {
      if (isFresh) return state;
      const version = readVersion(reader);
      if (version === undefined) return undefined;
      if (version !== state?.version) state = { version };
      isFresh = true;
      setImmediate(invalidate);
      return state;
    },
  };
}

function readVersion(reader: Connection): unknown {
  try {
    return reader.first("PRAGMA data_version")?.data_version;
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}
