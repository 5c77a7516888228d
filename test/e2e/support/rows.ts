import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../src/db/database.ts";
import { until } from "../../support/until.ts";
import { withDatabase } from "./state.ts";

/** Tables of the server's own bookkeeping, which any request may change. */
const BOOKKEEPING = new Set(["rate_windows", "server_instances", "schedule_runs", "server_state", "job_keys"]);

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

/** All rows of the database as texts, with their tables: equal ones before and after a request show that it changed nothing. */
export type Rows = ReadonlySet<string>;

/** Reads all rows once the background work that is due has ended. */
export async function readRows(server: { readonly dataDir: string }): Promise<Rows> {
  return await withDatabase(server, async (db) => {
    await until("no background work is due", async () => (await isAtRest(db)) && true);
    return await dump(db);
  });
}

async function isAtRest(db: Db): Promise<boolean> {
  const nowMs = Date.now();
  const [job, event, queued] = await Promise.all([
    db.selectFrom("jobs").select("id").where("run_at", "<=", nowMs).where("kind", "<>", "import").executeTakeFirst(),
    db.selectFrom("events").select("id").where("dispatched_at", "is", null).executeTakeFirst(),
    db
      .selectFrom("imports")
      .select("id")
      .where("ended_at", "is", null)
      // The URL stalls, so this import never ends.
      .where((where) => where.or([where("name", "is", null), where("name", "<>", "slow.txt")]))
      .executeTakeFirst(),
  ]);
  return job === undefined && event === undefined && queued === undefined;
}

async function dump(db: Db): Promise<Rows> {
  const tables = await select<{ name: string }>(db, sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'`);
  const rows = new Set<string>();
  for (const { name } of tables) {
    if (BOOKKEEPING.has(name)) continue;
    const changing = CHANGING[name] ?? [];
    // A delivery that fails is tried again by another job.
    for (const row of await select<Record<string, unknown>>(db, sql`SELECT * FROM ${sql.table(name)}`))
      if (name !== "jobs" || row.kind !== "webhook")
        rows.add(`${name} ${JSON.stringify(row, (column, value) => (changing.includes(column) ? undefined : value))}`);
  }
  return rows;
}

const select = async <Row>(db: Db, query: RawBuilder<unknown>): Promise<readonly Row[]> => (await query.execute(db)).rows as Row[];

/** The rows that were added, changed or deleted; deleted jobs are jobs that ended. */
export function changedRows(before: Rows, after: Rows): readonly string[] {
  const deleted = [...before].filter((row) => !after.has(row) && !row.startsWith("jobs "));
  return [...deleted, ...[...after].filter((row) => !before.has(row))];
}
