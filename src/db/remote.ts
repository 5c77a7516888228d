import { type Client, createClient, type ResultSet, type Transaction } from "@libsql/client";
import type { CompiledQuery, QueryResult } from "kysely";
import type { Database } from "./database.ts";
import { type OpenTransaction, openKysely } from "./dialect.ts";
import { toDatabaseError, whileBusy } from "./faults.ts";
import { type Migration, migrate, type RunSql } from "./migrate.ts";
import { toSqlValues } from "./values.ts";

export interface RemoteOptions {
  readonly url: string;
  readonly token?: string;
  readonly migrations: readonly Migration[];
  readonly onMigrated?: (names: readonly string[]) => void;
}

/** Opens a database on a libSQL server, which does the queueing of writes itself; nothing here assumes to be its only user. */
export async function openRemote({ url, token, migrations, onMigrated }: RemoteOptions): Promise<Database> {
  const client = createClient({ url, authToken: token, intMode: "number" });
  try {
    const names = await migrate({ read: createRun(client), exclusively: (work) => runExclusively(client, work) }, migrations);
    if (names.length > 0) onMigrated?.(names);
  } catch (error) {
    client.close();
    throw error;
  }
  const db = openKysely({
    execute: (query) => whileBusy(() => execute(client, query)),
    begin: async () => createTransaction(await whileBusy(() => client.transaction("write"))),
  });
  const underWay = new Set<Promise<unknown>>();
  return {
    db,
    transaction: (work) => {
      const outcome = db.transaction().execute(work);
      const settled = outcome.catch(() => {}).finally(() => underWay.delete(settled));
      underWay.add(settled);
      return outcome;
    },
    ping: async () => void (await client.execute("SELECT 1")),
    async [Symbol.asyncDispose]() {
      await Promise.all(underWay);
      client.close();
    },
  };
}

function createTransaction(transaction: Transaction): OpenTransaction {
  return {
    async execute(query) {
      try {
        return await execute(transaction, query);
      } catch (error) {
        throw toDatabaseError(error);
      }
    },
    async commit() {
      try {
        await transaction.commit();
      } catch (error) {
        throw toDatabaseError(error);
      } finally {
        transaction.close();
      }
    },
    async rollback() {
      if (!transaction.closed) await transaction.rollback().catch(() => transaction.close());
    },
  };
}

async function execute(session: Client | Transaction, { sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
  const result = await session.execute({ sql, args: toSqlValues(parameters) });
  return { rows: toRows(result), numAffectedRows: BigInt(result.rowsAffected), insertId: result.lastInsertRowid };
}

function toRows({ columns, rows }: ResultSet): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
}

function createRun(session: Client | Transaction): RunSql {
  return async (sql, parameters = []) => toRows(await session.execute({ sql, args: toSqlValues(parameters) }));
}

async function runExclusively(client: Client, work: (run: RunSql) => Promise<void>): Promise<void> {
  const transaction = await whileBusy(() => client.transaction("write"));
  try {
    await work(createRun(transaction));
    await transaction.commit();
  } finally {
    transaction.close();
  }
}
