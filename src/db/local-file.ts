import { statSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InstallationError, systemCode } from "../errors.ts";
import type { Connection } from "./connection.ts";

/**
 * Returns the absolute path of a `file:` URL: `file:path` is used literally, and `file:///path` is decoded. Undefined for any other URL. Throws
 * InstallationError for a URL without a path.
 */
export function findLocalPath(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const path = url.startsWith("file://") ? decodePath(url) : url.slice("file:".length);
  if (path === undefined || path === "" || path.startsWith(":memory:"))
    throw new InstallationError(`FILEHOST_DB_URL: ${url} names no file, and the database needs one. Write file:/path.`);
  return resolve(path);
}

function decodePath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/**
 * Throws InstallationError for a log without its database file, or with an empty one, because a new database would take the log's place and end what
 * it has (storage, "The database").
 */
export function checkLog(path: string): void {
  const size = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;
  if (size(path) || !size(`${path}-wal`)) return;
  throw new InstallationError(
    `${path} is ${size(path) === undefined ? "missing" : "empty"}, but ${path}-wal has changes of it. Put the file back, or remove the log to begin with an empty database.`,
  );
}

/** Whether somebody emptied the file of a database, whose log is then the only thing that is left, and must not be written to it. */
export const isEmptied = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.size === 0;

/** Creates an empty database file with mode 0600, which SQLite also gives its companion files, in a folder with mode 0700. */
export async function createDatabaseFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createPrivateFile(path);
}

/** Copies the database of `connection` to `to`, replacing an older copy. The copy is complete and durable before it gets that name. */
export async function copyDatabaseFile(connection: Connection, to: string): Promise<void> {
  const partial = `${to}.partial`;
  await rm(partial, { force: true });
  await createPrivateFile(partial);
  connection.run("VACUUM INTO ?", [partial]);
  await syncFile(partial);
  await rename(partial, to);
  await syncFile(dirname(to));
}

async function createPrivateFile(path: string): Promise<void> {
  try {
    // Opens only new files, because closing a second descriptor of an open database would drop SQLite's locks on it.
    const file = await open(path, "wx", 0o600);
    await file.close();
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
