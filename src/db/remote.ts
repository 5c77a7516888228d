import { createClient } from "@libsql/client";
import type { Database } from "./database.ts";
import { isRead, openKysely } from "./dialect.ts";
import { unavailable } from "./faults.ts";
import type { Migration, RunSql } from "./migrate.ts";
import { createServerFetch, toRemoteError, whileUnavailable } from "./remote-faults.ts";
import { migrateRemote } from "./remote-migrate.ts";
import { beginRemote, executeOn, toRows } from "./remote-transaction.ts";
import { createTurns } from "./turns.ts";
import { toSqlValues } from "./values.ts";

export interface RemoteOptions {
  readonly url: string;
  readonly token?: string;
  readonly migrations: readonly Migration[];
  readonly onMigrated?: (names: readonly string[]) => void;
  /** A transaction that takes longer is undone. */
  readonly transactionLimitMs?: number;
  /** How long the server has to answer one request. */
  readonly answerMs?: number;
}

/** Requests under way at once; the others wait their turn. */
const CONCURRENCY = 64;

/**
 * Opens a database on a libSQL server; nothing here assumes to be its only user. What changes nothing by itself is tried again for a while
 * where the server does not answer; a write only where it cannot have arrived. All else is UNAVAILABLE.
 */
export async function openRemote(options: RemoteOptions): Promise<Database> {
  const { url, token, migrations, onMigrated, transactionLimitMs = 15_000, answerMs = 20_000 } = options;
  const client = createClient({ url, authToken: token, intMode: "number", concurrency: CONCURRENCY, fetch: createServerFetch(answerMs) });
  const read: RunSql = (sql, parameters = []) =>
    whileUnavailable("any-failure", async () => toRows(await client.execute({ sql, args: toSqlValues(parameters) })));
  try {
    const names = await migrateRemote(client, read, migrations);
    if (names.length > 0) onMigrated?.(names);
  } catch (error) {
    client.close();
    throw error;
  }
  const turns = createTurns();
  const underWay = new Set<Promise<unknown>>();
  let isClosing = false;
  const tracked = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosing) return Promise.reject(unavailable("The server is shutting down. Please try again in a moment."));
    const outcome = work();
    const settled = outcome.catch(() => {}).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return outcome;
  };
  const db = openKysely({
    execute: (query) => tracked(() => whileUnavailable(isRead(query) ? "any-failure" : "not-arrived", () => executeOn(client, query))),
    begin: () => beginRemote({ client, turns, limitMs: transactionLimitMs }),
  });
  return {
    db,
    transaction: (work) => tracked(() => db.transaction().execute(work)),
    async ping() {
      try {
        await client.execute("SELECT 1");
      } catch (error) {
        throw toRemoteError(error);
      }
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await Promise.all(underWay);
      client.close();
    },
  };
}
