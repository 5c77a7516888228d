import { createLru, type Lru } from "../lib/concurrency/lru.ts";
import type { Db } from "./database.ts";
import { findCommitState } from "./dialect.ts";

/** Maximum number of rows that are cached for one state of a database. */
const MAX_ROWS = 2_000;

/**
 * Caches the results of `read` by a key until the next commit by any process, so that a cached row is never outdated. Detecting a commit costs less
 * than a query. Without a change detector, and inside a transaction, calls `read` each time. Results that `isKept` refuses are not cached.
 */
export function cacheUntilCommit<T extends object>(
  read: (db: Db, key: string) => Promise<T | undefined>,
  isKept: (result: T) => boolean = () => true,
): (db: Db, key: string) => Promise<T | undefined> | T {
  const cacheByState = new WeakMap<object, Lru<string, T>>();
  const readAndCache = async (db: Db, key: string, state: object): Promise<T | undefined> => {
    const row = await read(db, key);
    if (!row || !isKept(row)) return row;
    const rows = cacheByState.get(state) ?? createLru(MAX_ROWS);
    cacheByState.set(state, rows);
    rows.set(key, row);
    return row;
  };
  return (db, key) => {
    const state = findCommitState(db);
    if (!state) return read(db, key);
    return cacheByState.get(state)?.get(key) ?? readAndCache(db, key, state);
  };
}
