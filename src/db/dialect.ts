import { AsyncLocalStorage } from "node:async_hooks";
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
import type { Db, Schema, TransactionDb } from "./database.ts";

/** Runs compiled statements. */
export interface StatementRunner {
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>;
}

/** An open transaction. Once it has ended, `execute` rejects. */
export interface OpenTransaction extends StatementRunner {
  /** Resolves once the transaction is durable. Rejects if it was rolled back. */
  commit(): Promise<void>;
  /** Resolves once the transaction is rolled back. Does nothing if it has already ended. */
  rollback(): Promise<void>;
}

/** A database that Kysely can run on: a local file or a remote server. */
export interface Engine extends StatementRunner {
  begin(): Promise<OpenTransaction>;
  /** Returns a query's first row, if the engine has a faster way than `execute`. */
  first?(query: CompiledQuery): Promise<unknown>;
  /** Returns the same object until any process commits, and then another, if the engine detects that faster than it runs a query. */
  state?(): object | undefined;
}

const engines = new WeakMap<Db, { readonly engine: Engine; readonly guard: TransactionGuard }>();

/** Runs Kysely on an engine. Destroying the Kysely does not close the engine. */
export function openKysely(engine: Engine): Db {
  const guard = createTransactionGuard();
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new ConcurrentSqliteAdapter(),
      createDriver: () => createDriver(engine, guard),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  engines.set(db, { engine, guard });
  return db;
}

/** Runs `work` in one transaction of `db`. Inside it, using `db` instead of `transaction` throws. */
export function runTransaction<T>(db: Db, work: (transaction: TransactionDb) => Promise<T>): Promise<T> {
  const guard = engines.get(db)?.guard;
  return db.transaction().execute((transaction) => (guard ? guard.run(() => work(transaction)) : work(transaction)));
}

/** Returns the first row of `query`. Outside a transaction, uses the engine's `first`. */
export async function executeFirst<O>(db: Db, query: CompiledQuery<O>): Promise<O | undefined> {
  const outer = engines.get(db);
  if (!outer?.engine.first) return (await db.executeQuery(query)).rows[0];
  outer.guard.check();
  return (await outer.engine.first(query)) as O | undefined;
}

/** Returns an object that identifies the committed state of `db`; undefined if the state is unknown, and for a transaction. */
export function findCommitState(db: Db): object | undefined {
  const outer = engines.get(db);
  outer?.guard.check();
  return outer?.engine.state?.();
}

/** Returns whether a query has no effects. */
export function isReadQuery(query: CompiledQuery): boolean {
  return query.query.kind === "SelectQueryNode" || (query.query.kind === "RawNode" && /^\s*select\b/i.test(query.sql));
}

/** An adapter that runs queries concurrently: Kysely's own adapter runs one at a time, but this engine queues them. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function createDriver(engine: Engine, guard: TransactionGuard): Driver {
  const transactions = new WeakMap<DatabaseConnection, OpenTransaction>();
  const getTransaction = (connection: DatabaseConnection) => {
    const transaction = transactions.get(connection);
    if (!transaction) throw new Error("No transaction is open on this connection");
    return transaction;
  };
  const acquire = (): DatabaseConnection => {
    const connection: DatabaseConnection = {
      async executeQuery<R>(query: CompiledQuery) {
        const transaction = transactions.get(connection);
        if (!transaction) guard.check();
        // No driver can check Kysely's type of the rows.
        return (await (transaction ?? engine).execute(query)) as QueryResult<R>;
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
      guard.check();
      transactions.set(connection, await engine.begin());
    },
    commitTransaction: async (connection) => getTransaction(connection).commit(),
    rollbackTransaction: async (connection) => getTransaction(connection).rollback(),
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}

/** Distinguishes the work of a database's transactions from other code. */
interface TransactionGuard {
  /** Runs the work of a transaction. Until it ends, `check` throws in it and in everything it calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Throws inside the work of a transaction: the outer database would wait for the transaction, which waits for the outer database. */
  check(): void;
}

function createTransactionGuard(): TransactionGuard {
  const current = new AsyncLocalStorage<{ hasEnded: boolean }>();
  return {
    async run(work) {
      // Code that the work started, such as a timer, may use the outer database once the work has ended.
      const transaction = { hasEnded: false };
      try {
        return await current.run(transaction, work);
      } finally {
        transaction.hasEnded = true;
      }
    },
    check() {
      if (current.getStore()?.hasEnded !== false) return;
      throw new Error("The outer `db` was used inside a transaction: use the database that `work` receives.");
    },
  };
}
