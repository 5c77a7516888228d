import { setImmediate } from "node:timers";
import type { Connection } from "./connection.ts";
import { isBusy } from "./faults.ts";

/** Tells whether anything was committed, by whichever process. */
export interface Commits {
  /** The same object for as long as nothing was; undefined where that cannot be told just now. */
  state(): object | undefined;
  /** Has the next question asked anew, since this process has committed. */
  look(): void;
}

/**
 * SQLite's `data_version`, which every commit changes but those of the asking connection: `reader` makes none. Asked once in a turn of the
 * event loop, since whoever is answered in that turn had asked before it: to them, what is committed meanwhile may come after their question.
 */
export function watchCommits(reader: Connection): Commits {
  let state: { readonly version: unknown } | undefined;
  let isAsked = false;
  const look = () => {
    isAsked = false;
  };
  return {
    look,
    state() {
      if (isAsked) return state;
      const version = askVersion(reader);
      if (version === undefined) return undefined;
      if (version !== state?.version) state = { version };
      isAsked = true;
      setImmediate(look);
      return state;
    },
  };
}

function askVersion(reader: Connection): unknown {
  try {
    return reader.first("PRAGMA data_version")?.data_version;
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}
