import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Db } from "./database.ts";
import type { Schema } from "./schema.ts";

/** Whatever runs compiled statements. */
export interface Session {
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>;
}

/** A transaction under way. After either end, `execute` rejects. */
export interface OpenTransaction extends Session {
  /** Resolves once the transaction is durable; rejects where it was undone. */
  commit(): Promise<void>;
  /** Resolves once it is undone; does nothing where it is over already. */
  rollback(): Promise<void>;
}

/** What a database has to offer to stand behind Kysely: here a local file or a remote server. */
export interface Engine extends Session {
  begin(): Promise<OpenTransaction>;
  /** Runs a query for its first row, where the engine has a shorter way to it. */
  first?(query: CompiledQuery): Promise<unknown>;
  /** The same object for as long as no process has committed anything, where the engine can tell for less than a look-up costs. */
  state?(): object | undefined;
}

const engines = new WeakMap<Db, Engine>();

/** Kysely over an engine. Closing is the engine's own matter: destroying the Kysely does nothing. */
export function openKysely(engine: Engine): Db {
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new ConcurrentSqliteAdapter(),
      createDriver: () => createDriver(engine),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  engines.set(db, engine);
  return db;
}

/** The first row of `query`, by the engine's shorter way where `db` is not a transaction. */
export async function executeFirst<O>(db: Db, query: CompiledQuery<O>): Promise<O | undefined> {
  const engine = engines.get(db);
  if (!engine?.first) return (await db.executeQuery(query)).rows[0];
  return (await engine.first(query)) as O | undefined;
}

/** What `db` has committed so far, to compare; undefined where that is not known, and for a transaction. */
export const stateOf = (db: Db): object | undefined => engines.get(db)?.state?.();

/** True for a query that changes nothing. */
export function isRead(query: CompiledQuery): boolean {
  return query.query.kind === "SelectQueryNode" || (query.query.kind === "RawNode" && /^\s*select\b/i.test(query.sql));
}

/** Kysely's own adapter runs one query at a time; the engine does the queueing here. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function createDriver(engine: Engine): Driver {
  const transactions = new WeakMap<DatabaseConnection, OpenTransaction>();
  const getTransaction = (connection: DatabaseConnection) => {
    const transaction = transactions.get(connection);
    if (!transaction) throw new Error("No transaction is open on this connection");
    return transaction;
  };
  const acquire = (): DatabaseConnection => {
    const connection: DatabaseConnection = {
      async executeQuery<R>(query: CompiledQuery) {
        const session = transactions.get(connection) ?? engine;
        // Kysely's type of the rows is the query's promise; no driver can check it.
        return (await session.execute(query)) as QueryResult<R>;
      },
      streamQuery() {
        throw new Error("Rows are not streamed: read them in pages");
      },
    };
    return connection;
  };
  return {
    init: async () => {},
    acquireConnection: async () => acquire(),
    async beginTransaction(connection) {
      transactions.set(connection, await engine.begin());
    },
    commitTransaction: async (connection) => getTransaction(connection).commit(),
    rollbackTransaction: async (connection) => getTransaction(connection).rollback(),
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}
