import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import { makePrivateFolder } from "./private-files.ts";

const RETRY_MS = 20;
const TIMEOUT_MS = 60_000;

/**
 * Does work that no other process of this user does at the same time. The lock is an empty database, which the system releases when its process ends
 * in any way. Throws UNAVAILABLE after a minute.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await makePrivateFolder(dirname(path));
  closeSync(openSync(path, "a", 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA busy_timeout = 0");
    for (const startMs = performance.now(); !tryLock(database); await sleep(RETRY_MS * (1 + Math.random())))
      if (performance.now() - startMs > TIMEOUT_MS)
        throw new AppError("UNAVAILABLE", `Another filehost command uses ${path}. Try again when it has ended.`);
    return await work();
  } finally {
    database.close();
  }
}

/** Takes the lock if no other connection has it, without waiting. Returns whether the lock was taken. */
export function tryLock(database: DatabaseSync): boolean {
  try {
    // A journal on disk needs space, which a full disk does not have.
    database.exec("PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false;
    throw error;
  }
}
