import type { QueryResult } from "kysely";
import { createLru } from "../lib/concurrency/lru.ts";
import { isBusy } from "./errors.ts";
import { execOffLoop, Libsql } from "./libsql.ts";
import { toSqlValues } from "./values.ts";

export type Row = Record<string, unknown>;

/**
 * One connection to a local file. All calls except `commit` are synchronous. Throws the driver's errors unchanged. Writes outside of a transaction must
 * go through `exec`.
 */
export interface Connection {
  readonly inTransaction: boolean;
  /** Runs one statement, and caches it prepared under its text. */
  run(sql: string, parameters?: readonly unknown[]): QueryResult<Row>;
  /** Returns the first row of a query, twice as fast as `run`, which has to create an iterator. */
  first(sql: string, parameters?: readonly unknown[]): Row | undefined;
  /** Runs statements without results or parameters. Not cached. */
  exec(sql: string): void;
  /** Commits on another thread, which waits for the disk and runs SQLite's automatic checkpoint. No other call may be made until it resolves. */
  commit(): Promise<void>;
  close(): void;
}

interface PreparedStatement {
  readonly statement: Libsql.Statement<unknown[]>;
  /** The names of the columns; undefined for a statement that returns no rows. */
  columns: readonly string[] | undefined;
}

/** Maximum number of prepared statements per connection. */
const MAX_STATEMENTS = 500;

/** Opens the file at the absolute `path`, creating it if missing. Never waits for a lock. */
export function openConnection(path: string): Connection {
  const driver = new Libsql(path);
  const prepare = cacheStatements(driver);
  const finishing = finishLocked();
  driver.exec("PRAGMA busy_timeout = 0");
  return {
    get inTransaction() {
      return driver.inTransaction;
    },
    run(sql, parameters = []) {
      const prepared = prepare(sql);
      const values = toSqlValues(parameters);
      if (prepared.columns) return { rows: finishing(prepared, () => prepared.statement.all(values)).map((row) => toRow(prepared, row)) };
      const { changes, lastInsertRowid } = prepared.statement.run(values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    first(sql, parameters = []) {
      const prepared = prepare(sql);
      const row = finishing(prepared, () => prepared.statement.get(toSqlValues(parameters)));
      return row === undefined ? undefined : toRow(prepared, row);
    },
    exec: (sql) => void driver.exec(sql),
    commit: () => execOffLoop.call(driver, "COMMIT"),
    close: () => void driver.close(),
  };
}

/**
 * Returns a function that runs a query, and before it the earlier one that found the file locked and was not repeated. The driver does not reset such a
 * statement, and while it is unfinished SQLite ends no read of the connection: no later query would see what others write, until the process ends.
 */
function finishLocked(): <T>(prepared: PreparedStatement, query: () => T) => T {
  let locked: { readonly prepared: PreparedStatement; readonly query: () => unknown } | undefined;
  return (prepared, query) => {
    if (locked && locked.prepared !== prepared) finish(locked.query);
    try {
      const result = query();
      locked = undefined;
      return result;
    } catch (error) {
      locked = isBusy(error) ? { prepared, query } : undefined;
      throw error;
    }
  };
}

/** Repeats a query only to end it. Throws if the file is still locked; with any other error, the query has ended. */
function finish(query: () => unknown): void {
  try {
    query();
  } catch (error) {
    if (isBusy(error)) throw error;
  }
}

function cacheStatements(driver: Libsql.Database): (sql: string) => PreparedStatement {
  const statements = createLru<string, PreparedStatement>(MAX_STATEMENTS);
  return (sql) => {
    const cached = statements.get(sql);
    if (cached) return cached;
    const prepared = prepareStatement(driver, sql);
    statements.set(sql, prepared);
    return prepared;
  };
}

function prepareStatement(driver: Libsql.Database, sql: string): PreparedStatement {
  const statement = driver.prepare(sql);
  if (!statement.reader) return { statement, columns: undefined };
  // Reads rows as arrays, because the driver's row objects cost more than the query.
  statement.raw(true);
  return { statement, columns: columnNames(statement) };
}

function toRow(prepared: PreparedStatement, values: unknown): Row {
  if (!Array.isArray(values)) throw new TypeError("The driver returned a row that is not a list of values");
  // Another process may have changed a table under a cached `select *`.
  if (values.length !== prepared.columns?.length) prepared.columns = columnNames(prepared.statement);
  const row: Row = {};
  const { columns } = prepared;
  // Does not use an iterator, which takes longer than the rest.
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ""] = values[index];
  return row;
}

function columnNames(statement: Libsql.Statement<unknown[]>): readonly string[] {
  return statement.columns().map(({ name }) => name);
}
