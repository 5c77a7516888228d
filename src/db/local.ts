import type { CompiledQuery } from "kysely";
import { watchCommits } from "./commits.ts";
import { type Connection, openConnection } from "./connection.ts";
import type { Database } from "./database.ts";
import { isRead, type OpenTransaction, openKysely } from "./dialect.ts";
import { isBusy, whileBusy } from "./faults.ts";
import { copyDatabase, makeDatabaseFile } from "./local-file.ts";
import { type Migration, type MigrationTarget, migrate } from "./migrate.ts";
import { createWriter, type Writer, type WriterOptions } from "./writer.ts";

export interface LocalOptions {
  readonly path: string;
  readonly migrations: readonly Migration[];
  readonly onMigrated?: (names: readonly string[]) => void;
  readonly onCommit?: WriterOptions["onCommit"];
  /** A transaction that takes longer is undone, so that one that waits for something outside cannot stop the others for good. */
  readonly transactionLimitMs?: number;
}

/** Opens a file: one connection writes, through one queue; another reads at any time. Several processes may share the file. */
export async function openLocal(options: LocalOptions): Promise<Database> {
  const { path, migrations, onMigrated, onCommit, transactionLimitMs = 15_000 } = options;
  await makeDatabaseFile(path);
  const connection = await openTuned(path, [
    "PRAGMA synchronous = FULL",
    "PRAGMA journal_size_limit = 67108864",
    "PRAGMA cache_size = -4096",
  ]);
  const reader = await openTuned(path, ["PRAGMA cache_size = -16384"]);
  const close = () => {
    reader.close();
    connection.close();
  };
  try {
    const names = await migrate(createMigrationTarget({ path, connection, reader }), migrations);
    if (names.length > 0) onMigrated?.(names);
    // Only now, since the copy before an upgrade counts as writing.
    reader.exec("PRAGMA query_only = ON");
  } catch (error) {
    close();
    throw error;
  }
  const commits = watchCommits(reader);
  const writer = createWriter({
    connection,
    onCommit(transactions) {
      commits.look();
      onCommit?.(transactions);
    },
  });
  const submit = (query: CompiledQuery) => writer.submit({ kind: "statement", run: () => runQuery(connection, query) });
  const db = openKysely({
    execute: async (query) => (isRead(query) ? readNow(() => runQuery(reader, query)) : submit(query)),
    first: async (query) =>
      isRead(query) ? readNow(() => reader.first(query.sql, query.parameters)) : submit(query).then(({ rows }) => rows[0]),
    begin: () => beginTransaction({ writer, connection, limitMs: transactionLimitMs }),
    state: commits.state,
  });
  return {
    db,
    transaction: (work) => db.transaction().execute(work),
    ping: async () => void (await whileBusy(() => reader.run("SELECT count(*) FROM sqlite_master"))),
    async [Symbol.asyncDispose]() {
      await writer.drain();
      connection.run("PRAGMA wal_checkpoint(TRUNCATE)");
      close();
    },
  };
}

async function openTuned(path: string, pragmas: readonly string[]): Promise<Connection> {
  const connection = openConnection(path);
  for (const pragma of ["PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON", ...pragmas]) {
    await whileBusy(() => connection.exec(pragma));
  }
  return connection;
}

function readNow<T>(read: () => T): T | Promise<T> {
  try {
    return read();
  } catch (error) {
    // Rare: another process recovers or resets the log.
    if (isBusy(error)) return whileBusy(read);
    throw error;
  }
}

function runQuery(connection: Connection, query: CompiledQuery) {
  return connection.run(query.sql, query.parameters);
}

interface TransactionParts {
  readonly writer: Writer;
  readonly connection: Connection;
  readonly limitMs: number;
}

/** Takes a turn in the writer's queue and holds it until the transaction is committed, rolled back or out of time. */
function beginTransaction({ writer, connection, limitMs }: TransactionParts): Promise<OpenTransaction> {
  return new Promise((opened, refused) => {
    let over = false;
    const hold = () =>
      new Promise<void>((resolve, reject) => {
        const end = (finish: () => void) => {
          over = true;
          clearTimeout(timer);
          finish();
        };
        const timer = setTimeout(() => end(() => reject(new Error("A transaction took too long and was undone"))), limitMs);
        opened({
          async execute(query) {
            // A full disk has SQLite undo all by itself: nothing may go on outside a transaction then.
            if (over || !connection.inTransaction) throw new Error("This transaction is over");
            return runQuery(connection, query);
          },
          async commit() {
            if (!over) end(resolve);
            await durable;
          },
          async rollback() {
            if (!over) end(() => reject(new Error("Rolled back")));
            await durable.catch(() => {});
          },
        });
      });
    const durable = writer.submit({ kind: "transaction", run: hold });
    durable.catch(refused);
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
    read: async (sql) => (await whileBusy(() => reader.run(sql))).rows,
    async exclusively(work) {
      // A migration that makes a table anew has to drop the old one, which would else delete what refers to it.
      connection.exec("PRAGMA foreign_keys = OFF");
      try {
        await whileBusy(() => connection.exec("BEGIN IMMEDIATE"));
        await work(async (sql, parameters) => connection.run(sql, parameters).rows);
        const dangling = connection.run("PRAGMA foreign_key_check").rows;
        if (dangling.length > 0) throw new Error(`The migration would leave ${dangling.length} references to rows that do not exist`);
        connection.exec("COMMIT");
      } finally {
        if (connection.inTransaction) connection.exec("ROLLBACK");
        connection.exec("PRAGMA foreign_keys = ON");
      }
    },
    // The reader still sees the state before the transaction that is open meanwhile.
    keepCopy: (label) => copyDatabase(reader, `${path}.${label}`),
  };
}
