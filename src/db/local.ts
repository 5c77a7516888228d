import { type CompiledQuery, sql } from "kysely";
import { memoryPlan } from "../lib/system/memory-plan.ts";
import { createChangeDetector } from "./change-detector.ts";
import { type Connection, openConnection } from "./connection.ts";
import type { Database } from "./database.ts";
import { isReadQuery, type OpenTransaction, openKysely, runTransaction } from "./dialect.ts";
import { hasReservedLog, keepDiskReserve, restartLog, saveLog } from "./disk-reserve.ts";
import { isBusy, retryUntilUnlocked } from "./errors.ts";
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { checkDriver } from "./libsql.ts";
import { checkLog, copyDatabaseFile, createDatabaseFile, isEmptied } from "./local-file.ts";
import { type Migration, type MigrationTarget, migrate, planMigrations, readApplied } from "./migrate.ts";
import { checkLogOfOthers } from "./missing-log.ts";
import { type MovedListener, watchMovedFiles } from "./moved-files.ts";
import { checkWritable, toOpenError } from "./open-error.ts";
import { watchTruncatedLog } from "./truncated-log.ts";

export interface LocalOptions {
  readonly path: string;
  readonly migrations: readonly Migration[];
  readonly onMigrated?: (names: readonly string[]) => void;
  readonly onCommit?: GroupCommitOptions["onCommit"];
  readonly onMoved?: MovedListener;
  /** Maximum duration of a transaction. A longer one is rolled back, so that it does not block all others. */
  readonly transactionLimitMs?: number;
  /** Whether to create the reserve of `Database.keepReserve` now. */
  readonly keepsReserve?: boolean;
  /** Whether the process ends after the database is closed, so that its log stays. Other processes release all that they have opened. */
  readonly keepsLog?: boolean;
}

/**
 * Opens a database file. One connection writes, through a queue, and another reads at any time. Several processes may share the file. Rejects with
 * the errors of `toOpenError`.
 */
export async function openLocal(options: LocalOptions): Promise<Database> {
  try {
    return await open(options);
  } catch (error) {
    throw toOpenError(options.path, error);
  }
}

/** Returns the pragma of the cache size, in which a negative number is in KB. */
const toCacheSize = (bytes: number): string => `PRAGMA cache_size = -${Math.floor(bytes / 1024)}`;

async function open(options: LocalOptions): Promise<Database> {
  const { path, migrations, onMigrated, onCommit, onMoved, transactionLimitMs = 15_000, keepsReserve = false, keepsLog = false } = options;
  await checkDriver();
  checkLog(path);
  checkLogOfOthers(path);
  await createDatabaseFile(path);
  checkWritable(path);
  const checked = await checkSchema(path, migrations);
  const connection = await openConfigured(path, [
    "PRAGMA synchronous = FULL",
    "PRAGMA journal_size_limit = 67108864",
    toCacheSize(memoryPlan.database.writerCacheBytes),
  ]);
  const reader = await openConfigured(path, [toCacheSize(memoryPlan.database.readerCacheBytes)]);
  // Closes this connection last, because SQLite deletes the log with the last connection of all processes.
  checked.close();
  const isTruncated = watchTruncatedLog(path);
  const close = () => {
    reader.close();
    if ((keepsLog && hasReservedLog(path)) || isEmptied(path) || isTruncated()) unclosed.push(connection);
    else connection.close();
  };
  try {
    const names = await migrate(createMigrationTarget({ path, connection, reader }), migrations);
    if (names.length > 0) onMigrated?.(names);
    // Changes this after the upgrade, which may sort more than fits into memory.
    for (const each of [connection, reader]) each.exec("PRAGMA temp_store = MEMORY");
    await restartLog(connection);
    // Changes this after the copy before an upgrade, which counts as writing.
    reader.exec("PRAGMA query_only = ON");
  } catch (error) {
    close();
    throw error;
  }
  const changes = createChangeDetector(reader);
  const checkFiles = watchMovedFiles(path, isTruncated, onMoved);
  const groupCommit = createGroupCommit({
    connection,
    checkFiles() {
      try {
        checkFiles();
      } catch (error) {
        if (!isEmptied(path) && !isTruncated()) saveLog(connection);
        throw error;
      }
    },
    onCommit(transactions) {
      changes.invalidate();
      onCommit?.(transactions);
    },
  });
  const submit = (query: CompiledQuery) => groupCommit.submit({ kind: "statement", run: () => runQuery(connection, query) });
  const db = openKysely({
    execute: async (query) => (isReadQuery(query) ? readNow(() => runQuery(reader, query)) : submit(query)),
    first: async (query) =>
      isReadQuery(query) ? readNow(() => reader.first(query.sql, query.parameters)) : submit(query).then(({ rows }) => rows[0]),
    begin: () => beginTransaction({ groupCommit, connection, limitMs: transactionLimitMs }),
    state: changes.state,
  });
  const keepReserve = () => keepDiskReserve(path, reader, async (text) => void (await sql.raw(text).execute(db)));
  if (keepsReserve) await keepReserve();
  return {
    hasOwnClock: false,
    db,
    keepReserve,
    transaction: (work) => runTransaction(db, work),
    async ping() {
      checkFiles();
      await retryUntilUnlocked(() => reader.run("SELECT count(*) FROM sqlite_master"));
    },
    async [Symbol.asyncDispose]() {
      await groupCommit.drain();
      // Ignores a failure, which the next start repairs and which must not hide why the process ends.
      if (!isEmptied(path) && !isTruncated()) await restartLog(connection).catch(() => {});
      close();
    },
  };
}

/** Connections that stay open until the process ends, so that their log stays (disk space, "A disk that others fill"). */
const unclosed: Connection[] = [];

/** Throws for a file that this program must not change, before the first pragma that writes to it. The caller closes the connection. */
async function checkSchema(path: string, migrations: readonly Migration[]): Promise<Connection> {
  const connection = openConnection(path);
  try {
    planMigrations(await readApplied(async (sql) => (await retryUntilUnlocked(() => connection.run(sql))).rows, migrations), migrations);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function openConfigured(path: string, pragmas: readonly string[]): Promise<Connection> {
  const connection = openConnection(path);
  for (const pragma of ["PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON", ...pragmas]) {
    await retryUntilUnlocked(() => connection.exec(pragma));
  }
  return connection;
}

function readNow<T>(read: () => T): T | Promise<T> {
  try {
    return read();
  } catch (error) {
    // In rare cases another process is recovering or resetting the log.
    if (isBusy(error)) return retryUntilUnlocked(read);
    throw error;
  }
}

function runQuery(connection: Connection, query: CompiledQuery) {
  return connection.run(query.sql, query.parameters);
}

interface TransactionParts {
  readonly groupCommit: GroupCommit;
  readonly connection: Connection;
  readonly limitMs: number;
}

/** Waits in the queue, then blocks it until the transaction is committed, rolled back or timed out. */
function beginTransaction({ groupCommit, connection, limitMs }: TransactionParts): Promise<OpenTransaction> {
  return new Promise((resolveOpened, rejectOpened) => {
    let hasEnded = false;
    const runUntilEnd = () =>
      new Promise<void>((resolve, reject) => {
        const end = (finish: () => void) => {
          hasEnded = true;
          clearTimeout(timer);
          finish();
        };
        const timer = setTimeout(() => end(() => reject(new Error("A transaction took too long and was undone"))), limitMs);
        resolveOpened({
          async execute(query) {
            // On a full disk SQLite rolls back the transaction, and no later statement may run outside it.
            if (hasEnded || !connection.inTransaction) throw new Error("This transaction has ended");
            return runQuery(connection, query);
          },
          async commit() {
            if (!hasEnded) end(resolve);
            await durable;
          },
          async rollback() {
            if (!hasEnded) end(() => reject(new Error("Rolled back")));
            await durable.catch(() => {});
          },
        });
      });
    const durable = groupCommit.submit({ kind: "transaction", run: runUntilEnd });
    durable.catch(rejectOpened);
  });
}

function createMigrationTarget({
  path,
  connection,
  reader,
}: {
  path: string;
  connection: Connection;
  reader: Connection;
}): MigrationTarget {
  return {
    read: async (sql) => (await retryUntilUnlocked(() => reader.run(sql))).rows,
    async exclusively(work) {
      // A migration that recreates a table drops the old one, which would otherwise cascade to its references.
      connection.exec("PRAGMA foreign_keys = OFF");
      try {
        await retryUntilUnlocked(() => connection.exec("BEGIN IMMEDIATE"));
        await work(
          async (sql, parameters) => connection.run(sql, parameters).rows,
          (statements) => connection.exec(statements.join(";\n")),
        );
        connection.exec("COMMIT");
      } finally {
        if (connection.inTransaction) connection.exec("ROLLBACK");
        connection.exec("PRAGMA foreign_keys = ON");
      }
    },
    // The reader still sees the state before the open transaction.
    saveCopy: (label) => copyDatabaseFile(reader, `${path}.${label}`),
  };
}
