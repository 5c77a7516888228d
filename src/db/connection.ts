import type { QueryResult } from "kysely";
import Libsql from "libsql";
import LibsqlOffLoop from "libsql/promise";
import { toSqlValues } from "./values.ts";

export type Row = Record<string, unknown>;

/** One connection to a local file. Every call but `commit` is synchronous, and throws the driver's error as it is. */
export interface Connection {
  readonly inTransaction: boolean;
  /** Runs one statement, which is kept prepared by its text. */
  run(sql: string, parameters?: readonly unknown[]): QueryResult<Row>;
  /** The first row of a query alone: twice as fast as `run`, which has to make an iterator. */
  first(sql: string, parameters?: readonly unknown[]): Row | undefined;
  /** Runs statements without results or parameters, not kept. */
  exec(sql: string): void;
  /** Commits on another thread, which waits for the disk, and moves the log into the file where it has grown. Until it ends, no other call. */
  commit(): Promise<void>;
  close(): void;
}

interface KeptStatement {
  readonly statement: Libsql.Statement<unknown[]>;
  /** The names of the columns; undefined for a statement that returns no rows. */
  columns: readonly string[] | undefined;
}

/** Statements kept in each of two generations: those used lately, and those used before. */
const GENERATION_SIZE = 250;

/** Opens the file at the absolute `path`, makes it where it is missing, and never waits for a lock. */
export function openConnection(path: string): Connection {
  const driver = new Libsql(path);
  const prepare = keepStatements(driver);
  driver.exec("PRAGMA busy_timeout = 0");
  return {
    get inTransaction() {
      return driver.inTransaction;
    },
    run(sql, parameters = []) {
      const kept = prepare(sql);
      const values = toSqlValues(parameters);
      if (kept.columns) return { rows: kept.statement.all(values).map((row) => toRow(kept, row)) };
      const { changes, lastInsertRowid } = kept.statement.run(values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    first(sql, parameters = []) {
      const kept = prepare(sql);
      const row = kept.statement.get(toSqlValues(parameters));
      return row === undefined ? undefined : toRow(kept, row);
    },
    exec: (sql) => void driver.exec(sql),
    commit: () => execOffLoop.call(driver, "COMMIT"),
    close: () => void driver.close(),
  };
}

/** Both of the driver's interfaces are made of the same native handle, `db`: so the asynchronous one's method does for a connection of the other. */
const execOffLoop: (this: Libsql.Database, sql: string) => Promise<void> = LibsqlOffLoop.prototype.exec;

/** A cache that forgets what was used least lately, by generations, so that a hit costs one look-up and no bookkeeping. */
function keepStatements(driver: Libsql.Database): (sql: string) => KeptStatement {
  let recent = new Map<string, KeptStatement>();
  let older = new Map<string, KeptStatement>();
  return (sql) => {
    const hit = recent.get(sql);
    if (hit) return hit;
    const kept = older.get(sql) ?? prepareStatement(driver, sql);
    if (recent.size >= GENERATION_SIZE) {
      older = recent;
      recent = new Map();
    }
    recent.set(sql, kept);
    return kept;
  };
}

function prepareStatement(driver: Libsql.Database, sql: string): KeptStatement {
  const statement = driver.prepare(sql);
  if (!statement.reader) return { statement, columns: undefined };
  // Bare arrays: the driver's own row objects cost more than the query.
  statement.raw(true);
  return { statement, columns: namesOf(statement) };
}

function toRow(kept: KeptStatement, values: unknown): Row {
  if (!Array.isArray(values)) throw new TypeError("The driver returned a row that is not a list of values");
  // Another process may have changed a table under a kept `select *`.
  if (values.length !== kept.columns?.length) kept.columns = namesOf(kept.statement);
  const row: Row = {};
  for (const [index, name] of kept.columns.entries()) row[name] = values[index];
  return row;
}

function namesOf(statement: Libsql.Statement<unknown[]>): readonly string[] {
  return statement.columns().map(({ name }) => name);
}
