import Libsql from "libsql";
import type { LockQueue } from "./lock-queue.ts";

/** A value in the protocol's JSON. Integers are text because they have 64 bits. */
type WireValue =
  | { readonly type: "null" }
  | { readonly type: "integer"; readonly value: string }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "blob"; readonly base64: string };

interface WireStatement {
  readonly sql?: string;
  readonly sql_id?: number;
  readonly args?: readonly WireValue[];
  readonly named_args?: readonly { readonly name: string; readonly value: WireValue }[];
  readonly want_rows?: boolean;
}

type WireCondition =
  | { readonly type: "ok"; readonly step: number }
  | { readonly type: "error"; readonly step: number }
  | { readonly type: "not"; readonly cond: WireCondition }
  | { readonly type: "and" | "or"; readonly conds: readonly WireCondition[] }
  | { readonly type: "is_autocommit" };

/** One request of a pipeline. */
export type WireRequest =
  | { readonly type: "close" | "get_autocommit" }
  | { readonly type: "execute"; readonly stmt: WireStatement }
  | {
      readonly type: "batch";
      readonly batch: { readonly steps: readonly { readonly condition?: WireCondition | null; readonly stmt: WireStatement }[] };
    }
  | { readonly type: "sequence"; readonly sql?: string; readonly sql_id?: number }
  | { readonly type: "store_sql"; readonly sql_id: number; readonly sql: string }
  | { readonly type: "close_sql"; readonly sql_id: number };

interface WireError {
  readonly message: string;
  readonly code: string;
}

/** One SQL connection that executes requests of the protocol. */
export interface HranaSession {
  readonly inTransaction: boolean;
  /** Responds to a request, which waits for the write lock until `signal` aborts. Rejects with an error for `toWireError`. */
  respond(request: WireRequest, signal: AbortSignal): Promise<object>;
  /** Rolls back an open transaction and clears the stream's state, for the next stream. */
  reset(): void;
  close(): void;
}

export interface SessionOptions {
  readonly path: string;
  /** The sessions that wait for the file's write lock. All sessions of the file need the same one. */
  readonly lock: LockQueue;
  /** The time that a statement waits for the write lock, without blocking the event loop. */
  readonly busyMs: number;
}

/** Opens the file, which nobody else may write to. */
export function openSession({ path, lock, busyMs }: SessionOptions): HranaSession {
  let { driver, totals } = openDriver(path);
  const statements = new Map<string, Libsql.Statement<unknown[]>>();
  const texts = new Map<number, string>();
  const counters = () => totals.get() as { total: number; last: number };

  const textOf = ({ sql, sql_id }: { sql?: string; sql_id?: number }): string => {
    const text = sql ?? texts.get(sql_id ?? -1);
    if (text === undefined) throw protocolError("SQL_NOT_FOUND", "No SQL text of that id is stored");
    return text;
  };

  const prepare = (sql: string): Libsql.Statement<unknown[]> => {
    const prepared = statements.get(sql);
    if (prepared) return prepared;
    const statement = driver.prepare(sql);
    statement.safeIntegers(true);
    if (statement.reader) statement.raw(true);
    if (statements.size > 500) statements.clear();
    statements.set(sql, statement);
    return statement;
  };

  const run = (stmt: WireStatement): object => {
    const statement = prepare(textOf(stmt));
    const values = stmt.named_args?.length
      ? [Object.fromEntries(stmt.named_args.map(({ name, value }) => [name.replace(/^[:@$]/, ""), fromWire(value)]))]
      : [(stmt.args ?? []).map(fromWire)];
    if (!statement.reader) {
      const { changes, lastInsertRowid } = statement.run(...values);
      return { cols: [], rows: [], affected_row_count: changes, last_insert_rowid: String(lastInsertRowid) };
    }
    const before = counters().total;
    const rows = statement.all(...values) as unknown[][];
    const after = counters();
    return {
      cols: statement.columns().map(({ name, type }) => ({ name, decltype: type })),
      rows: stmt.want_rows === false ? [] : rows.map((row) => row.map(toWire)),
      affected_row_count: after.total === before ? 0 : after.last,
      last_insert_rowid: null,
    };
  };

  /** The driver does not reset a statement that found the lock taken. The connection would commit nothing more, and read only the past. */
  const replaceDriver = (): void => {
    statements.clear();
    driver.close();
    ({ driver, totals } = openDriver(path));
    driver.exec("PRAGMA foreign_keys = ON");
  };

  const runWhileBusy = async <T>(signal: AbortSignal, attempt: () => T): Promise<T> => {
    const expiresAtMs = performance.now() + busyMs;
    const hadLock = driver.inTransaction;
    let hasWaited = false;
    try {
      for (;;) {
        try {
          return attempt();
        } catch (error) {
          if (driver.inTransaction || !/^SQLITE_BUSY/.test(codeOf(error))) throw error;
          const limitMs = expiresAtMs - performance.now();
          if (limitMs <= 0 || signal.aborted) {
            replaceDriver();
            throw error;
          }
          await lock.wait({ limitMs, signal, isAgain: hasWaited });
          hasWaited = true;
        }
      }
    } finally {
      if ((hadLock || hasWaited) && !driver.inTransaction) lock.release();
    }
  };

  const runBatch = async (signal: AbortSignal, steps: Extract<WireRequest, { type: "batch" }>["batch"]["steps"]): Promise<object> => {
    const step_results: (object | null)[] = [];
    const step_errors: (WireError | null)[] = [];
    const isMet = (condition: WireCondition): boolean => {
      if (condition.type === "ok") return Boolean(step_results[condition.step]);
      if (condition.type === "error") return Boolean(step_errors[condition.step]);
      if (condition.type === "not") return !isMet(condition.cond);
      if (condition.type === "is_autocommit") return !driver.inTransaction;
      return condition.type === "and" ? condition.conds.every(isMet) : condition.conds.some(isMet);
    };
    for (const [index, { condition, stmt }] of steps.entries()) {
      step_results[index] = null;
      step_errors[index] = null;
      if (condition && !isMet(condition)) continue;
      try {
        step_results[index] = await runWhileBusy(signal, () => run(stmt));
      } catch (error) {
        step_errors[index] = toWireError(error);
      }
    }
    return { step_results, step_errors };
  };

  return {
    get inTransaction() {
      return driver.inTransaction;
    },
    async respond(request, signal) {
      const { type } = request;
      if (type === "execute") return { type, result: await runWhileBusy(signal, () => run(request.stmt)) };
      if (type === "batch") return { type, result: await runBatch(signal, request.batch.steps) };
      if (type === "sequence") await runWhileBusy(signal, () => void driver.exec(textOf(request)));
      else if (type === "store_sql") texts.set(request.sql_id, request.sql);
      else if (type === "close_sql") texts.delete(request.sql_id);
      else if (type === "get_autocommit") return { type, is_autocommit: !driver.inTransaction };
      else if (type !== "close") throw protocolError("NOT_SUPPORTED", `This server does not know ${JSON.stringify(type)}`);
      return { type };
    },
    reset() {
      if (driver.inTransaction) {
        driver.exec("ROLLBACK");
        lock.release();
      }
      driver.exec("PRAGMA foreign_keys = ON");
      texts.clear();
    },
    close: () => void driver.close(),
  };
}

function openDriver(path: string): { readonly driver: Libsql.Database; readonly totals: Libsql.Statement<unknown[]> } {
  const driver = new Libsql(path);
  driver.exec("PRAGMA journal_mode = WAL");
  driver.exec("PRAGMA synchronous = NORMAL");
  return { driver, totals: driver.prepare("SELECT total_changes() AS total, changes() AS last") };
}

/** Formats an error like real servers: with SQLite's primary code, without the extended one. */
export function toWireError(error: unknown): WireError {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (!code.startsWith("SQLITE_")) return { message, code: code === "" ? "SQL_INPUT_ERROR" : code };
  return { message: `SQLite error: ${message}`, code: code.split("_").slice(0, 2).join("_") };
}

function protocolError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function fromWire(value: WireValue): unknown {
  if (value.type === "null") return null;
  if (value.type === "integer") return BigInt(value.value);
  return value.type === "blob" ? Buffer.from(value.base64, "base64") : value.value;
}

function toWire(value: unknown): WireValue {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (typeof value === "number") return { type: "float", value };
  if (value instanceof Uint8Array) return { type: "blob", base64: Buffer.from(value).toString("base64").replace(/=+$/, "") };
  return { type: "text", value: String(value) };
}
