import { stat } from "node:fs/promises";
import type { LoadedConfig } from "../config/load.ts";
import { checkFile, type DatabaseState, inspectFile, inspectServer, type SchemaState } from "../db/inspect.ts";
import { findLocalPath } from "../db/local-file.ts";
import { MissingLog } from "../db/missing-log.ts";
import { WRITES_HELD } from "../db/watch-writes.ts";
import { InstallationError, systemCode } from "../errors.ts";
import { CLOCK_TOLERANCE_MS, describeDoubt, parseStoredClock } from "../lib/system/clock-doubt.ts";
import { formatSize } from "../lib/text/format-size.ts";
import { toIso } from "../lib/text/iso-time.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";

const INTEGRITY_CHECK_TIMEOUT_MS = 15_000;
const RESPONSE_TIMEOUT_MS = 8_000;
/** Duration of a round trip that counts as slow: a request runs several queries in sequence. */
const SLOW_ROUND_TRIP_MS = 30;

/** Checks that the database responds, that this version can use its schema, and that a local file is not damaged. */
export const database: Check = {
  what: "database",
  timeoutMs: 60_000,
  async *run(loaded: LoadedConfig) {
    const { url } = loaded.config.database;
    const path = findLocalPath(url);
    if (path === undefined) yield* checkDatabaseServer(loaded);
    else if (await stat(path).catch(() => undefined)) yield* checkDatabaseFile(path);
    else yield ok("database", `${path} is created on first start`);
  },
};

/** Returns whether any server with this database has ever found a scanner; false if the database cannot be read. */
export async function wasScannerSeen(loaded: LoadedConfig): Promise<boolean> {
  try {
    return (await inspect(loaded))?.scannerSeen ?? false;
  } catch {
    return false;
  }
}

/** Reads the database without changing it; undefined if there is none yet. Throws the errors of its driver. */
export async function inspect({ config: { database } }: LoadedConfig): Promise<DatabaseState | undefined> {
  const path = findLocalPath(database.url);
  if (path === undefined) {
    const { inspectServer } = await import("../db/inspect.ts");
    return await inspectServer({ ...database, responseTimeoutMs: RESPONSE_TIMEOUT_MS });
  }
  if (!(await stat(path).catch(() => undefined))) return undefined;
  return await inspectFile(path);
}

async function* checkDatabaseFile(path: string): AsyncGenerator<CheckResult> {
  try {
    const { schema, openReports, mailErrors, unknownClientAddress, clock } = await inspectFile(path);
    const wal = await stat(`${path}-wal`).catch(() => undefined);
    yield describeSchema(schema, `${path}, ${formatSize((await stat(path)).size + (wal?.size ?? 0))}`);
    yield* describeReports(openReports);
    yield* describeMails(mailErrors);
    yield* describeClock(clock);
    yield* describeHop(unknownClientAddress);
    const check = await checkFile(path, INTEGRITY_CHECK_TIMEOUT_MS);
    if (check.kind === "damaged") yield damaged(path, check.what);
    else if (check.kind === "whole") yield ok("database file", "integrity check passed");
    else
      yield ok(
        "database file",
        `is too large to check in ${INTEGRITY_CHECK_TIMEOUT_MS / 1000} s; for a full check: sqlite3 ${path} 'PRAGMA quick_check'`,
      );
  } catch (error) {
    yield toFileFailure(path, error);
  }
}

function toFileFailure(path: string, error: unknown): CheckResult {
  const code = systemCode(error) ?? "";
  if (error instanceof MissingLog) return fail("database", "databaseLog", error.problem, `${error.fix}.`);
  if (error instanceof InstallationError)
    return fail("database", "databaseUnreadable", `${path}: ${error.message}`, "Or move that file away.");
  if (code === "SQLITE_NOTADB")
    return fail(
      "database",
      "notDatabase",
      `${path} is not a database`,
      "Set FILEHOST_DATA or FILEHOST_DB_URL to the right path, or restore the file from a backup.",
    );
  if (code.startsWith("SQLITE_CORRUPT")) return damaged(path, explainError(error));
  if (code === "SQLITE_CANTOPEN" || code.startsWith("SQLITE_READONLY") || /: 14\b/.test(explainError(error)))
    return fail(
      "database",
      "databaseAccess",
      `${path} cannot be opened by this user`,
      "Run this as the server's user. If it is that user: chown USER that file and the files -wal and -shm next to it.",
    );
  return fail("database", "databaseUnreadable", `${path}: ${explainError(error)}`, "Check the disk (dmesg) and the server's log.");
}

const damaged = (path: string, what: string): CheckResult =>
  fail(
    "database file",
    "databaseFile",
    `${path} is damaged: ${what}`,
    "Stop the server, copy the data folder, check the disk (dmesg, smartctl -a), and restore the last backup.",
  );

async function* checkDatabaseServer({ config: { database }, settings }: LoadedConfig): AsyncGenerator<CheckResult> {
  const shown = settings.find(({ name }) => name === "FILEHOST_DB_URL")?.value ?? "the database server";
  try {
    const { schema, openReports, mailErrors, unknownClientAddress, roundTripMs, answersWrites, clock, clockAheadMs } = await inspectServer({
      ...database,
      responseTimeoutMs: RESPONSE_TIMEOUT_MS,
    });
    yield describeSchema(schema, shown);
    yield* describeReports(openReports);
    yield* describeMails(mailErrors);
    if (Math.abs(clockAheadMs) > CLOCK_TOLERANCE_MS)
      yield warn("server clock", "clock", describeDoubt({ kind: "differs", aheadMs: clockAheadMs, from: "database server" }), SET_CLOCK);
    else yield* describeClock(clock);
    yield* describeHop(unknownClientAddress);
    if (!answersWrites) yield fail("database writes", "databaseWrites", WRITES_HELD.problem, WRITES_HELD.fix);
    const detail = `a query takes ${roundTripMs.toFixed(1)} ms`;
    if (roundTripMs <= SLOW_ROUND_TRIP_MS) yield ok("round trip", detail);
    else
      yield warn(
        "round trip",
        "roundTrip",
        `${detail}, and each request needs several`,
        "Run filehost in the same data center as its database.",
      );
  } catch (error) {
    yield toServerFailure(shown, error);
  }
}

const SET_CLOCK = "Check the clock with timedatectl, and synchronize it with timedatectl set-ntp true (or apt-get install chrony).";

/** Describes the doubt about the clock of the server that stored it last. */
function* describeClock(text: string | undefined): Generator<CheckResult> {
  const stored = parseStoredClock(text);
  if (!stored) return;
  const aheadMs = Date.now() - stored.trustedMs;
  // A time in the past is also stored by a server that no longer runs.
  if (aheadMs < -CLOCK_TOLERANCE_MS)
    yield warn(
      "server clock",
      "clock",
      `this machine's clock is behind that with which the server ran: ${toIso(stored.trustedMs)}`,
      SET_CLOCK,
    );
  else if (stored.doubt?.kind === "start" && Date.now() < (stored.doubt.untilMs ?? 0))
    yield ok("server clock", describeDoubt(stored.doubt));
  else if (stored.doubt && stored.doubt.kind !== "start") yield warn("server clock", "clock", describeDoubt(stored.doubt), SET_CLOCK);
  else yield ok("server clock", "has not been set while the server ran");
}

function toServerFailure(shown: string, error: unknown): CheckResult {
  const status = error instanceof Error && "refusedWith" in error ? error.refusedWith : undefined;
  if (status === 401 || status === 403)
    return fail(
      "database",
      "databaseRefuses",
      `${shown} rejects the token (${status})`,
      "Set FILEHOST_DB_TOKEN (or FILEHOST_DB_TOKEN_FILE) to a token that can read and write this database.",
    );
  if (status === 404)
    return fail(
      "database",
      "databaseRefuses",
      `${shown} has no such database (404)`,
      "Check the host and the database name in FILEHOST_DB_URL.",
    );
  return fail(
    "database",
    "database",
    `${shown} ${status === undefined ? `does not respond: ${explainError(error)}` : `responds with status ${status}`}`,
    "Check that the database server runs, that FILEHOST_DB_URL has its host and port, and that the firewall allows this machine.",
  );
}

/** Yields the number of reports of shares that wait for the administrator; nothing if the database has no reports yet. */
function* describeReports(open: number | undefined): Generator<CheckResult> {
  if (open === 0) yield ok("reports", "none is open");
  else if (open !== undefined)
    yield warn(
      "reports",
      "reports",
      `${open} open`,
      "Read them: filehost reports list. Then: filehost reports takedown ID, or filehost reports dismiss ID",
    );
}

function* describeMails(errors: readonly string[] = []): Generator<CheckResult> {
  if (errors.length > 0)
    yield warn(
      "mails",
      "mails",
      `${errors.length} not accepted in the last 7 days; the last: ${errors[0]}`,
      "Check the address, and FILEHOST_MAIL_FROM. Then: filehost jobs retry --all --kind mail, or filehost jobs drop ID",
    );
}

function* describeHop(hop: string | undefined): Generator<CheckResult> {
  if (hop !== undefined)
    yield warn(
      "proxy",
      "proxyHop",
      `a trusted proxy named ${JSON.stringify(hop)} as its client, which is no address: all such clients share one rate limit`,
      'Configure the proxy to send the client\'s address in X-Forwarded-For (docs/deploy.md, "Reverse proxy"). This warning ends two days after the last such request.',
    );
}

/** Describes the schema of the database at `where`. */
export function describeSchema(schema: SchemaState, where: string): CheckResult {
  switch (schema.kind) {
    case "current":
      return ok("database", `${where}, schema ${schema.count}`);
    case "empty":
      return ok("database", `${where}, empty: its tables are created on first start`);
    case "older":
      return ok(
        "database",
        `${where}, of an older version: the next start migrates it (${schema.pending.join(", ")}) and keeps a copy of a local file`,
      );
    case "too-old":
      return fail("database", "databaseVersion", `${where}: ${schema.problem}`, schema.fix);
    case "newer":
      return fail(
        "database",
        "databaseVersion",
        `${where}: ${schema.reason}`,
        "Install the newer filehost again, or stop all servers and restore the copy filehost.db.before-… next to the database.",
      );
  }
}
