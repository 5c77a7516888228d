import type { Client, ResultSet, Transaction } from "@libsql/client";
import type { CompiledQuery, QueryResult } from "kysely";
import type { Mutex } from "../lib/concurrency/mutex.ts";
import type { OpenTransaction } from "./dialect.ts";
import { BUSY_TIMEOUT_MS, codeOf, unavailable } from "./errors.ts";
import { retryUntilAvailable, toRemoteDatabaseError } from "./remote-errors.ts";
import { toSqlValues } from "./values.ts";

/** Runs one compiled query. Throws the client's errors unchanged. */
export async function executeRemote(session: Client | Transaction, { sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
  const result = await session.execute({ sql, args: toSqlValues(parameters) });
  return { rows: toRows(result), numAffectedRows: BigInt(result.rowsAffected), insertId: result.lastInsertRowid };
}

/** Converts a result's rows to objects. Bytes become Uint8Array. */
export function toRows({ columns, rows }: ResultSet): Record<string, unknown>[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) {
      const value = values[index];
      row[column] = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
    }
    return row;
  });
}

export interface TransactionOptions {
  readonly client: Client;
  /** The mutex of this process's transactions, so that they do not compete for the server's lock. */
  readonly mutex: Mutex;
  /** Maximum duration of a transaction. A longer one is rolled back, so that it does not block all others. */
  readonly limitMs: number;
}

/**
 * Waits for this process's other transactions, and begins on the server with the first statement, in one request. Without the lock or a response,
 * sends it again in a new transaction; a transaction that may have begun is never committed.
 */
export async function beginRemote({ client, mutex, limitMs }: TransactionOptions): Promise<OpenTransaction> {
  const release = await mutex.acquire({ timeoutMs: BUSY_TIMEOUT_MS, timeoutError: databaseBusy });
  let transaction: Transaction | undefined;
  let hasEnded = false;

  const end = (): void => {
    hasEnded = true;
    clearTimeout(timer);
    release();
  };
  const rollBack = async (): Promise<void> => {
    if (hasEnded) return;
    end();
    // If this request is lost, the server rolls back after its own timeout.
    await transaction?.rollback().catch(() => transaction?.close());
  };
  const timer = setTimeout(() => void rollBack().catch(() => undefined), limitMs);

  const start = (query: CompiledQuery) =>
    retryUntilAvailable("any-error", async () => {
      if (hasEnded) throw timedOut();
      const opening = transaction ?? (await client.transaction("write"));
      try {
        return await executeRemote(opening, query);
      } finally {
        // A failed statement does not end a transaction that has begun.
        if (!opening.closed) transaction = opening;
        if (hasEnded) opening.close();
      }
    });

  return {
    async execute(query) {
      if (hasEnded) throw timedOut();
      try {
        return await (transaction ? executeRemote(transaction, query) : start(query));
      } catch (error) {
        // Any error except a violated constraint may have rolled back the transaction, and no later statement may run outside it.
        if (!codeOf(error).startsWith("SQLITE_CONSTRAINT")) await rollBack();
        throw toRemoteDatabaseError(error);
      }
    },
    async commit() {
      if (hasEnded) throw timedOut();
      try {
        await transaction?.commit();
      } catch (error) {
        throw toRemoteDatabaseError(error);
      } finally {
        end();
      }
    },
    rollback: rollBack,
  };
}

const databaseBusy = (): Error => unavailable("The database is busy. Try again in a moment.");

const timedOut = (): Error => unavailable("The change took too long and was rolled back. Try again.");
