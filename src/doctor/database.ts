import { stat } from "node:fs/promises";
import { formatSize } from "../../web/format.ts";
import { checkFile } from "../db/check-file.ts";
import type { DatabaseState, SchemaState } from "../db/inspect.ts";
import { inspectFile } from "../db/inspect-file.ts";
import { findLocalPath } from "../db/local-file.ts";
import { type Check, type Finding, fail, ok, type Subject, warn } from "./finding.ts";
import { reasonOf, systemCode } from "./reasons.ts";

const CHECK_MS = 15_000;
const ANSWER_MS = 8_000;
/** A request asks a few times in a row. */
const SLOW_ROUND_TRIP_MS = 30;

/** Whether the database answers, fits to this program, and is whole. */
export const database: Check = {
  what: "database",
  limitMs: 60_000,
  async *look(subject: Subject) {
    const { url } = subject.config.database;
    const path = findLocalPath(url);
    if (path === undefined) yield* lookAtServer(subject);
    else if (await stat(path).catch(() => undefined)) yield* lookAtFile(path);
    else yield ok("database", `${path} is made at the first start`);
  },
};

/** Whether a server with this database has ever seen a scanner; false where it cannot be asked. */
export async function wasScannerSeen(subject: Subject): Promise<boolean> {
  try {
    return (await inspect(subject))?.scannerSeen ?? false;
  } catch {
    return false;
  }
}

async function inspect({ config: { database } }: Subject): Promise<DatabaseState | undefined> {
  const path = findLocalPath(database.url);
  if (path === undefined) {
    const { inspectServer } = await import("../db/inspect-server.ts");
    return await inspectServer({ ...database, answerMs: ANSWER_MS });
  }
  if (!(await stat(path).catch(() => undefined))) return undefined;
  return await inspectFile(path);
}

async function* lookAtFile(path: string): AsyncGenerator<Finding> {
  try {
    const { schema } = await inspectFile(path);
    const log = await stat(`${path}-wal`).catch(() => undefined);
    yield toFinding(schema, `${path}, ${formatSize((await stat(path)).size + (log?.size ?? 0))}`);
    const check = await checkFile(path, CHECK_MS);
    if (check.kind === "damaged") yield damaged(path, check.what);
    else if (check.kind === "whole") yield ok("database file", "looked through, and whole");
    else
      yield ok(
        "database file",
        `is too large to be looked through in ${CHECK_MS / 1000} s: sqlite3 ${path} 'PRAGMA quick_check' does it whole`,
      );
  } catch (error) {
    yield toFileFault(path, error);
  }
}

function toFileFault(path: string, error: unknown): Finding {
  const code = systemCode(error) ?? "";
  if (code === "SQLITE_NOTADB")
    return fail(
      "database",
      `${path} is not a database`,
      "Set FILEHOST_DATA or FILEHOST_DB_URL to the right place, or restore the file from a backup.",
    );
  if (code.startsWith("SQLITE_CORRUPT")) return damaged(path, reasonOf(error));
  if (code === "SQLITE_CANTOPEN" || code.startsWith("SQLITE_READONLY") || /: 14\b/.test(reasonOf(error)))
    return fail(
      "database",
      `${path} cannot be opened by this user`,
      "Run this as the user that the server runs as; where it is that one: chown USER that file and those beside it, -wal and -shm.",
    );
  return fail("database", `${path}: ${reasonOf(error)}`, "Look at the disk (dmesg), and at the server's log.");
}

const damaged = (path: string, what: string): Finding =>
  fail(
    "database file",
    `${path} is damaged: ${what}`,
    "Stop the server, keep a copy of the data folder, look at the disk (dmesg, smartctl -a), and restore the last backup.",
  );

async function* lookAtServer({ config: { database }, settings }: Subject): AsyncGenerator<Finding> {
  const shown = settings.find(({ name }) => name === "FILEHOST_DB_URL")?.value ?? "the database's server";
  const { inspectServer } = await import("../db/inspect-server.ts");
  try {
    const { schema, roundTripMs } = await inspectServer({ ...database, answerMs: ANSWER_MS });
    yield toFinding(schema, shown);
    const detail = `${roundTripMs.toFixed(1)} ms to the database and back`;
    if (roundTripMs <= SLOW_ROUND_TRIP_MS) yield ok("round trip", detail);
    else
      yield warn(
        "round trip",
        `${detail}: each request waits for that a few times`,
        "Run filehost in the same data centre as its database.",
      );
  } catch (error) {
    yield toServerFault(shown, error);
  }
}

function toServerFault(shown: string, error: unknown): Finding {
  const status = error instanceof Error && "refusedWith" in error ? error.refusedWith : undefined;
  if (status === 401 || status === 403)
    return fail(
      "database",
      `${shown} refuses the token (${status})`,
      "Set FILEHOST_DB_TOKEN (or FILEHOST_DB_TOKEN_FILE) to one that may read and write this database.",
    );
  if (status === 404)
    return fail("database", `${shown} has no database there (404)`, "See that FILEHOST_DB_URL names the right host and database.");
  return fail(
    "database",
    `${shown} ${status === undefined ? `does not answer: ${reasonOf(error)}` : `answers ${status}`}`,
    "See that the database's server runs, that FILEHOST_DB_URL names its host and port, and that the firewall lets this machine through.",
  );
}

function toFinding(schema: SchemaState, where: string): Finding {
  switch (schema.kind) {
    case "current":
      return ok("database", `${where}, schema ${schema.count}`);
    case "empty":
      return ok("database", `${where}, empty: its tables are made at the first start`);
    case "older":
      return ok(
        "database",
        `${where}, of an older version: the next start brings it up to date (${schema.pending.join(", ")}) and keeps a copy of a file`,
      );
    case "newer":
      return fail(
        "database",
        `${where}: ${schema.reason}`,
        "Put the newer filehost back in place; or stop all servers and restore the copy filehost.db.before-… beside the database.",
      );
  }
}
