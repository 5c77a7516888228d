import { rmSync } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { AppError, systemCode } from "../../errors.ts";
import { tryLock } from "../records/file-lock.ts";

/**
 * Takes a lock that one process at a time can have: an empty file, which is removed at the end. The system releases the lock when the process ends in
 * any way. Throws CONFLICT if another process has it, or if the file is no lock.
 */
export async function lockFile(path: string): Promise<Disposable> {
  for (;;) {
    const before = await emptyFile(path);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 0");
    if (!isLocked(database)) {
      database.close();
      throw new AppError("CONFLICT", `Another filehost command saves here: ${path}. Wait until it has ended, or save elsewhere.`);
    }
    const found = await lstat(path, { bigint: true }).catch(() => undefined);
    if (found?.ino === before) return { [Symbol.dispose]: () => release(path, database) };
    // The last owner of the lock has removed the file since it was opened.
    database.close();
  }
}

function release(path: string, database: DatabaseSync): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Windows does not remove open files; the next lock uses the file again.
  }
  database.close();
}

/** Whether this connection has the lock. On file systems without locks, every try succeeds. */
function isLocked(database: DatabaseSync): boolean {
  try {
    return tryLock(database);
  } catch {
    return true;
  }
}

/**
 * Makes or finds the file of a lock, and resolves to its number in the file system. Does not close an open file, because this would release the locks
 * of this process.
 */
async function emptyFile(path: string): Promise<bigint> {
  try {
    await (await open(path, "wx", 0o600)).close();
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return await emptyFile(path);
  if (found.isFile() && found.size === 0n) return found.ino;
  throw new AppError("CONFLICT", `${path} is in the way of a download. Move it, or save elsewhere.`);
}
