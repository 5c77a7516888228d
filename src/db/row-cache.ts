import type { Db } from "./database.ts";
import { stateOf } from "./dialect.ts";

/** Rows kept for one state of a database. */
const ROWS = 2_000;

/**
 * Keeps what `read` finds by a key until the next commit of any process: asking whether there was one costs less than a look-up, and so
 * nothing that is given is older than what `read` would give. Where a database cannot tell, and inside a transaction, `read` is asked each time.
 */
export function keepRows<T extends object>(
  read: (db: Db, key: string) => Promise<T | undefined>,
): (db: Db, key: string) => Promise<T | undefined> | T {
  const byState = new WeakMap<object, Map<string, T>>();
  const readAndKeep = async (db: Db, key: string, state: object): Promise<T | undefined> => {
    const row = await read(db, key);
    const kept = byState.get(state);
    if (row && kept && kept.size < ROWS) kept.set(key, row);
    else if (row) byState.set(state, new Map([[key, row]]));
    return row;
  };
  return (db, key) => {
    const state = stateOf(db);
    if (!state) return read(db, key);
    return byState.get(state)?.get(key) ?? readAndKeep(db, key, state);
  };
}
