import { type Client, createClient } from "@libsql/client";
import { createMutex } from "../lib/concurrency/mutex.ts";
import { HOUR_MS } from "../lib/text/duration.ts";
import type { Database } from "./database.ts";
import { isReadQuery, openKysely, runTransaction } from "./dialect.ts";
import { unavailable } from "./errors.ts";
import type { Migration, RunSql } from "./migrate.ts";
import { createServerFetch, retryUntilAvailable, toRemoteDatabaseError } from "./remote-errors.ts";
import { migrateRemote } from "./remote-migrate.ts";
import { beginRemote, executeRemote, toRows } from "./remote-transaction.ts";
import { toSqlValues } from "./values.ts";
import { type WriteLog, watchWrites } from "./watch-writes.ts";

export interface RemoteOptions {
  readonly url: string;
  readonly token?: string;
  readonly migrations: readonly Migration[];
  readonly onMigrated?: (names: readonly string[]) => void;
  readonly log?: WriteLog | undefined;
  /** Maximum duration of a transaction. A longer one is rolled back. */
  readonly transactionLimitMs?: number;
  /** Maximum wait for one response, except that to an upgrade of the schema. */
  readonly responseTimeoutMs?: number;
}

/** Maximum number of concurrent requests. Further ones wait. */
const CONCURRENCY = 64;
/** Maximum wait for the response to an upgrade of the schema, which copies whole tables. */
const UPGRADE_TIMEOUT_MS = HOUR_MS;

/**
 * Opens a database on a libSQL server, which other processes may use too. If the server does not respond, retries reads for a while, and writes only
 * if the server cannot have received them; otherwise rejects with UNAVAILABLE.
 */
export async function openRemote(options: RemoteOptions): Promise<Database> {
  const { url, token, migrations, onMigrated, log, transactionLimitMs = 15_000, responseTimeoutMs = 20_000 } = options;
  const connect = (timeoutMs: number): Client =>
    createClient({ url, authToken: token, intMode: "number", concurrency: CONCURRENCY, fetch: createServerFetch(timeoutMs) });
  const client = connect(responseTimeoutMs);
  const upgradeClient = connect(UPGRADE_TIMEOUT_MS);
  const read: RunSql = (sql, parameters = []) =>
    retryUntilAvailable("any-error", async () => toRows(await client.execute({ sql, args: toSqlValues(parameters) })));
  try {
    const names = await migrateRemote(upgradeClient, read, migrations);
    if (names.length > 0) onMigrated?.(names);
  } catch (error) {
    client.close();
    throw error;
  } finally {
    upgradeClient.close();
  }
  const mutex = createMutex();
  const pending = new Set<Promise<unknown>>();
  let isClosing = false;
  const tracked = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosing) return Promise.reject(unavailable("The server is shutting down. Try again in a moment."));
    const outcome = work();
    const ended = outcome.catch(() => {}).finally(() => pending.delete(ended));
    pending.add(ended);
    return outcome;
  };
  const writes = watchWrites({ log, canRead: () => client.execute("SELECT 1") });
  const db = openKysely({
    execute: (query) =>
      tracked(() =>
        isReadQuery(query)
          ? retryUntilAvailable("any-error", () => executeRemote(client, query))
          : writes.watch(retryUntilAvailable("not-received", () => executeRemote(client, query))),
      ),
    begin: () => beginRemote({ client, mutex, limitMs: transactionLimitMs }),
  });
  return {
    hasOwnClock: true,
    db,
    transaction: (work) => tracked(() => writes.watch(runTransaction(db, work))),
    async ping() {
      try {
        await client.execute("SELECT 1");
      } catch (error) {
        throw toRemoteDatabaseError(error);
      }
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await Promise.all(pending);
      client.close();
    },
  };
}
