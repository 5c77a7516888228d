import type { Client } from "@libsql/client";
import { AppError } from "../errors.ts";
import { openConnection } from "./connection.ts";
import { codeOf, isBusy, retryUntilUnlocked } from "./errors.ts";
import { checkDriver, LibsqlOffLoop } from "./libsql.ts";
import { findOldSchema, type Migration, type OldSchema, planMigrations, type RunSql, readApplied } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/index.ts";
import { checkLogOfOthers } from "./missing-log.ts";
import { createServerFetch, isUnanswered } from "./remote-errors.ts";
import { toRows } from "./remote-transaction.ts";
import { parseSecretChecks } from "./secret-checks.ts";
import { readUnknownClientAddress } from "./unknown-client-address.ts";

/** The relation between a database's schema and this program. */
export type SchemaState =
  | { readonly kind: "current"; readonly count: number }
  | { readonly kind: "empty" }
  /** An older schema: the next start applies `pending`. */
  | { readonly kind: "older"; readonly pending: readonly string[] }
  /** A schema that is too old, which a start refuses. */
  | ({ readonly kind: "too-old" } & OldSchema)
  /** A newer schema, which a start refuses for `reason`. */
  | { readonly kind: "newer"; readonly reason: string };

export interface DatabaseState {
  readonly schema: SchemaState;
  /** Whether a malware scanner was ever found. */
  readonly scannerSeen: boolean;
  /** The record of each kind of store; undefined before a server has paired it. */
  readonly storePairs: Readonly<Partial<Record<"disk" | "s3", string>>>;
  /** Number of stored blobs without a file; undefined before all migrations are applied. */
  readonly unknownBlobs?: number;
  /** Number of files whose stored bytes were found damaged; undefined before all migrations are applied. */
  readonly damagedFiles?: number;
  /** The check values of the secrets with which the database is used; undefined before all migrations are applied. */
  readonly secretChecks?: readonly string[];
  /** The last server's state of its clock; undefined if none was stored. */
  readonly clock?: string | undefined;
  /** Number of unresolved reports; undefined before all migrations are applied. */
  readonly openReports?: number;
  /** The reasons why mails of the last week were refused, the latest first; undefined before all migrations are applied. */
  readonly mailErrors?: readonly string[];
  /** The recent hop of a trusted proxy that is not an address; undefined if there is none. */
  readonly unknownClientAddress?: string | undefined;
}

/**
 * Inspects an existing file without migrating it or writing to it. Throws MissingLog, InstallationError if the driver cannot be used, and the driver's
 * errors unchanged.
 */
export async function inspectFile(path: string, migrations?: readonly Migration[]): Promise<DatabaseState> {
  await checkDriver();
  checkLogOfOthers(path);
  const connection = openConnection(path);
  try {
    connection.exec("PRAGMA query_only = ON");
    return await readDatabaseState(async (sql) => (await retryUntilUnlocked(() => connection.run(sql))).rows, migrations);
  } finally {
    connection.close();
  }
}

export interface ServerState extends DatabaseState {
  /** The median round trip, in milliseconds. */
  readonly roundTripMs: number;
  /** Milliseconds by which this machine's clock is ahead of the server's; negative if it is behind. */
  readonly clockAheadMs: number;
  /**
   * Whether the server responded to the beginning of a write within the time of a response. Nothing is written; for another schema it is not tried.
   */
  readonly answersWrites: boolean;
}

const ROUND_TRIPS = 5;

/**
 * Inspects a libSQL server; each request takes at most `responseTimeoutMs`. Throws the client's errors unchanged, except for an HTTP refusal, which
 * gets the status as `refusedWith`.
 */
export async function inspectServer(options: {
  readonly url: string;
  readonly token: string | undefined;
  readonly responseTimeoutMs: number;
}): Promise<ServerState> {
  const { url, token, responseTimeoutMs } = options;
  const fetchServer = createServerFetch(responseTimeoutMs);
  let refusedWith: number | undefined;
  // Loads the client on demand, because it is slow to load and a local file does not need it.
  const { createClient } = await import("@libsql/client");
  const client = createClient({
    url,
    authToken: token,
    intMode: "number",
    async fetch(request: Request) {
      const response = await fetchServer(request);
      refusedWith = response.ok ? undefined : response.status;
      return response;
    },
  });
  try {
    const state = await readDatabaseState(async (sql) => toRows(await client.execute(sql)));
    const timesMs: number[] = [];
    for (let i = 0; i < ROUND_TRIPS; i++) {
      const beginMs = performance.now();
      await client.execute("SELECT 1");
      timesMs.push(performance.now() - beginMs);
    }
    const beginMs = Date.now();
    const [time] = toRows(await client.execute("SELECT (julianday('now') - 2440587.5) * 86400000 AS ms")) as { readonly ms: number }[];
    const clockAheadMs = time === undefined ? 0 : (beginMs + Date.now()) / 2 - time.ms;
    const answersWrites = state.schema.kind !== "current" || (await answersWrite(client));
    return { ...state, answersWrites, clockAheadMs, roundTripMs: timesMs.sort((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)] ?? 0 };
  } catch (error) {
    throw refusedWith === undefined ? error : Object.assign(new Error("The database's server refused", { cause: error }), { refusedWith });
  } finally {
    client.close();
  }
}

/** Begins a writing transaction and rolls it back. Resolves to whether the server responded. */
async function answersWrite(client: Client): Promise<boolean> {
  try {
    const transaction = await client.transaction("write");
    await transaction.execute("SELECT 1");
    transaction.close();
    return true;
  } catch (error) {
    return !isUnanswered(error);
  }
}

/** The result of a check. `unfinished`: it took too long, or another process has the lock. */
export type FileCheck = { readonly kind: "whole" | "unfinished" } | { readonly kind: "damaged"; readonly what: string };

/** Checks the structure of an existing database file on another thread, for at most `limitMs`, without blocking writers. */
export async function checkFile(path: string, limitMs: number): Promise<FileCheck> {
  const database = new LibsqlOffLoop(path, {});
  const deadlineMs = performance.now() + limitMs;
  // Interrupts repeatedly, because an interrupt between two calls has no effect.
  const timer = setInterval(() => performance.now() >= deadlineMs && database.interrupt(), Math.min(limitMs, 50));
  try {
    const statement = await database.prepare("PRAGMA quick_check(1)");
    const [row] = await statement.pluck(true).all([]);
    return row === "ok" ? { kind: "whole" } : { kind: "damaged", what: String(row) };
  } catch (error) {
    if (codeOf(error) === "SQLITE_INTERRUPT" || isBusy(error)) return { kind: "unfinished" };
    if (codeOf(error).startsWith("SQLITE_CORRUPT"))
      return { kind: "damaged", what: error instanceof Error ? error.message : String(error) };
    throw error;
  } finally {
    clearInterval(timer);
    database.close();
  }
}

/** Reads a database without changing it. `migrations` defaults to the program's own. */
async function readDatabaseState(read: RunSql, migrations: readonly Migration[] = allMigrations): Promise<DatabaseState> {
  const schema = toSchemaState(await readApplied(read, migrations), migrations);
  if (schema.kind === "empty" || schema.kind === "too-old" || schema.kind === "newer")
    return { schema, scannerSeen: false, storePairs: {} };
  const scannerSeen = (await read("SELECT value FROM server_state WHERE name = 'scanner_seen'")).length > 0;
  const storePairs = await readStorePairs(read);
  const [clock] = (await read("SELECT value FROM server_state WHERE name = 'clock'")) as { readonly value: string }[];
  if (schema.kind === "older") return { schema, scannerSeen, storePairs };
  const unknownBlobs = Number(
    (await read("SELECT count(*) AS count FROM unknown_blobs")).map((row) => (row as { count: unknown }).count)[0],
  );
  const openReports = (await read("SELECT id FROM reports WHERE resolved_at IS NULL")).length;
  const failedMails = await read("SELECT error FROM mails WHERE failed_at IS NOT NULL ORDER BY failed_at DESC");
  const [hop] = await read("SELECT value FROM server_state WHERE name = 'unknown_client_address'");
  const [checks] = (await read("SELECT value FROM server_state WHERE name = 'secret_checks'")) as { readonly value: string }[];
  return {
    schema,
    scannerSeen,
    storePairs,
    secretChecks: parseSecretChecks(checks?.value),
    unknownBlobs,
    damagedFiles: await countDamaged(read),
    clock: clock?.value,
    openReports,
    mailErrors: failedMails.map((row) => String((row as { error: unknown }).error)),
    unknownClientAddress: readUnknownClientAddress((hop as { value: string } | undefined)?.value, Date.now()),
  };
}

/** Counts the files that a reading found damaged and that are still blocked. */
async function countDamaged(read: RunSql): Promise<number> {
  const rows = await read(
    `SELECT count(*) AS count FROM files WHERE blob_state IN ('stored', 'quarantined') AND scan_status <> 'clean'
       AND id IN (SELECT found.value FROM server_state, json_each(server_state.value, '$.damaged') AS found WHERE name = 'digest_reading')`,
  );
  return Number((rows[0] as { readonly count: unknown } | undefined)?.count ?? 0);
}

async function readStorePairs(read: RunSql): Promise<DatabaseState["storePairs"]> {
  const rows = (await read("SELECT name, value FROM server_state WHERE name IN ('store_pair_disk', 'store_pair_s3')")) as readonly {
    readonly name: string;
    readonly value: string;
  }[];
  return Object.fromEntries(rows.map(({ name, value }) => [name.replace("store_pair_", ""), value]));
}

function toSchemaState(applied: readonly string[], migrations: readonly Migration[]): SchemaState {
  if (applied.length === 0) return { kind: "empty" };
  const old = findOldSchema(applied, migrations);
  if (old) return { kind: "too-old", ...old };
  try {
    const { pending } = planMigrations(applied, migrations);
    return pending.length > 0 ? { kind: "older", pending: pending.map(({ name }) => name) } : { kind: "current", count: migrations.length };
  } catch (error) {
    if (error instanceof AppError) return { kind: "newer", reason: error.message };
    throw error;
  }
}
