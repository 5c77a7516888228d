import { join } from "node:path";
import Libsql from "libsql";
import { until } from "../../../support/until.ts";

/** Tables of the server's bookkeeping, which any request or scheduled task may change. */
const BOOKKEEPING = new Set(["rate_windows", "server_instances", "schedule_runs", "server_state", "job_keys", "daily_figures"]);

/** Columns that background work changes at any time. */
const CHANGING: Readonly<Record<string, readonly string[]>> = {
  api_keys: ["last_used_at"],
  events: ["dispatched_at"],
  imports: ["phase", "bytes_done", "bytes_total", "validator", "updated_at", "failures"],
  jobs: ["attempts", "lease_holder", "lease_until", "last_error", "run_at"],
  upload_sessions: ["last_byte_at", "reserved_bytes", "lease_holder"],
  users: ["language"],
  webhook_deliveries: ["status", "attempts", "failures", "response_status", "error", "next_attempt_at"],
  webhook_endpoints: ["failed_attempts", "failed_events"],
};

/**
 * Conditions of the rows that are compared. Another job repeats a failed delivery. The end of a download is recorded only after the client has the
 * last byte, so it may follow into the next comparison; its `file.authorized` is recorded before the first byte.
 */
const ROW_CONDITIONS: Readonly<Record<string, string>> = {
  jobs: "WHERE kind <> 'webhook'",
  events: "WHERE type <> 'file.downloaded'",
  webhook_deliveries: "WHERE type <> 'file.downloaded'",
};

/** All rows of the database as texts, with their tables. Equal rows before and after a request show that it changed nothing. */
export type Rows = ReadonlySet<string>;

/** Reads all rows after the due background work has ended. */
export async function readRows({ dataDir }: { readonly dataDir: string }): Promise<Rows> {
  // Only the driver is opened, because rows are read before and after each of hundreds of requests, and the server's setup takes longer.
  const database = new Libsql(join(dataDir, "filehost.db"), { timeout: 10_000 });
  try {
    await until("no background work is due", () => isAtRest(database));
    return dump(database);
  } finally {
    database.close();
  }
}

type Connection = InstanceType<typeof Libsql>;

/** Whether no background work is due. The import of a URL that stalls never ends. */
const isAtRest = (database: Connection): boolean =>
  database
    .prepare(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM jobs WHERE run_at <= ? AND kind <> 'import')
        OR EXISTS (SELECT 1 FROM events WHERE dispatched_at IS NULL)
        OR EXISTS (SELECT 1 FROM imports WHERE ended_at IS NULL AND name IS NOT 'slow.txt')`,
    )
    .get(Date.now()) === undefined;

/** Reads the rows as texts. SQLite makes the texts, which takes a third of the time. */
function dump(database: Connection): Rows {
  const columns = database
    .prepare(
      `SELECT tables.name AS "table", columns.name AS "column" FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT GLOB 'sqlite_*'`,
    )
    .all() as { readonly table: string; readonly column: string }[];
  const rows = new Set<string>();
  for (const [table, own] of Map.groupBy(columns, ({ table }) => table)) {
    if (BOOKKEEPING.has(table)) continue;
    const shown = own.filter(({ column }) => !CHANGING[table]?.includes(column));
    const values = shown.map(({ column }) => `'${column}', coalesce("${column}", 'NULL')`).join(", ");
    const condition = ROW_CONDITIONS[table] ?? "";
    for (const text of database
      .prepare(`SELECT concat_ws(' ', '${table}', ${values}) FROM "${table}" ${condition}`)
      .pluck()
      .all() as string[])
      rows.add(text);
  }
  return rows;
}

/** Lists the rows that were added, changed or deleted. Deleted jobs are jobs that ended. */
export function changedRows(before: Rows, after: Rows): readonly string[] {
  const deleted = [...before].filter((row) => !after.has(row) && !row.startsWith("jobs "));
  return [...deleted, ...[...after].filter((row) => !before.has(row))];
}
