import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, InstallationError, isStorageFull, toInstallationError } from "../errors.ts";
import { explainSystemCode } from "../lib/system/system-reasons.ts";
import { codeOf, isBusy } from "./errors.ts";

const AS_THE_SERVER = "Run the command as the user that the server runs as, or give that user the data folder (chown -R)";
const FREE_SPACE = "Free space on that disk (df -h and df -i show what is left), then try again";
const RESTORE = "Move it away with its -wal and -shm files and restore a backup, or set FILEHOST_DATA to the right folder";

/** The meaning of SQLite's errors for a file that cannot be opened, by the beginning of their codes. */
const REASONS: readonly (readonly [code: string, problem: string, fix: string])[] = [
  ["SQLITE_NOTADB", "is not a database", RESTORE],
  ["SQLITE_CORRUPT", "is damaged", RESTORE],
  ["SQLITE_FULL", "cannot be written: the disk is full", FREE_SPACE],
  ["SQLITE_READONLY", "cannot be written", AS_THE_SERVER],
  ["SQLITE_CANTOPEN", "cannot be opened", AS_THE_SERVER],
  ["SQLITE_PERM", "cannot be opened: permission denied", AS_THE_SERVER],
  ["SQLITE_IOERR", "cannot be read or written: the disk reports an error", "Check the disk (dmesg, df -h and df -i)"],
  ["SQLITE_NOMEM", "cannot be opened: there is not enough memory", "Give the server more memory"],
];

/**
 * Translates an error on opening the file at `path` to a sentence that names the file. The state of the file and its folder explains more than the
 * driver. Returns an AppError and an unknown error unchanged.
 */
export function toOpenError(path: string, error: unknown): unknown {
  if (error instanceof InstallationError || isBusy(error)) return error;
  const isFull = isStorageFull(error);
  if (error instanceof AppError && !isFull) return error;
  if (explainSystemCode(codeOf(error)) !== undefined) return toInstallationError(`The database ${path}`, error);
  const code = isFull ? "SQLITE_FULL" : codeOf(error);
  if (!code.startsWith("SQLITE_") && !/ConnectionFailed|Unable to open|os error 24/.test(String(error))) return error;
  const [problem, fix] = findProblem(path) ?? describeCode(code);
  if (code === "SQLITE_FULL") return new AppError("STORAGE_FULL", `The database ${path} ${problem}. ${fix}.`, { cause: error });
  return new InstallationError(`The database ${path} ${problem}. ${fix}.`, { cause: error });
}

/** Throws InstallationError if this process may not write the file, its companions or its folder. */
export function checkWritable(path: string): void {
  const problem = findProblem(path);
  if (problem) throw new InstallationError(`The database ${path} ${problem.join(". ")}.`);
}

function findProblem(path: string): readonly [problem: string, fix: string] | undefined {
  try {
    closeSync(openSync(dirname(path), "r"));
  } catch (error) {
    if (codeOf(error) === "EMFILE") return ["cannot be opened: too many files are open", "Raise the limit (ulimit -n)"];
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (!existsSync(file)) continue;
    if (!statSync(file).isFile())
      return [`cannot be opened: ${file} is not a file`, "Move it away, or set FILEHOST_DATA or FILEHOST_DB_URL to the right path"];
    const problem = findAccessProblem(file, constants.R_OK | constants.W_OK);
    if (problem) return problem;
  }
  return findAccessProblem(dirname(path), constants.W_OK | constants.X_OK);
}

function findAccessProblem(path: string, mode: number): readonly [problem: string, fix: string] | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EROFS")
      return [`cannot be written: ${path} is on a read-only file system`, "Mount it writable, or set FILEHOST_DATA to another folder"];
    return [`cannot be opened: ${code === "ENOENT" ? "its folder does not exist" : `permission denied for ${path}`}`, AS_THE_SERVER];
  }
}

function describeCode(code: string): readonly [problem: string, fix: string] {
  const [, problem, fix] = REASONS.find(([known]) => code.startsWith(known)) ?? ["", "cannot be opened", AS_THE_SERVER];
  return [problem, fix];
}
