import { statSync } from "node:fs";
import { join } from "node:path";
import { isBusy } from "./errors.ts";
import { Libsql } from "./libsql.ts";
import { createDatabaseFile } from "./local-file.ts";

/** Name of the lock file in the data folder, which is empty. */
const LOCK_FILE = "server.lock";
/** The interval in which a server checks that its lock file was not removed. */
export const LOCK_CHECK_MS = 1_000;
/** Files of a folder that a server has used. */
const USED_FILES = ["blobs", "filehost.db"];

/** The lock of a data folder. */
export interface FolderLock extends Disposable {
  /**
   * Locks the file anew if somebody removed or replaced it, because another server could lock the new one. `lost`: another server has done so.
   * Throws the driver's errors.
   */
  renew(): Promise<"kept" | "renewed" | "lost">;
}

/**
 * Locks a data folder for this process (storage, "One server"); undefined if another process has locked it. The operating system releases the lock
 * when the process ends in any way. Throws the driver's errors for a folder that cannot be locked.
 */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const path = join(folder, LOCK_FILE);
  // A server that runs makes a removed file again.
  if (identify(path) === undefined && USED_FILES.some((name) => identify(join(folder, name)) !== undefined))
    await new Promise((resolve) => setTimeout(resolve, 2 * LOCK_CHECK_MS));
  let lock = await lockFile(path);
  if (lock === undefined) return undefined;
  return {
    async renew() {
      // A folder that was moved keeps its lock, and is not made again.
      const found = identify(path);
      if ((found !== undefined && found === lock?.identity) || identify(folder) === undefined) return "kept";
      const renewed = await lockFile(path);
      if (renewed === undefined) return "lost";
      lock?.driver.close();
      lock = renewed;
      return "renewed";
    },
    [Symbol.dispose]: () => void lock?.driver.close(),
  };
}

interface LockedFile {
  readonly driver: Libsql.Database;
  readonly identity: string | undefined;
}

async function lockFile(path: string): Promise<LockedFile | undefined> {
  await createDatabaseFile(path);
  const driver = new Libsql(path);
  try {
    driver.exec("PRAGMA busy_timeout = 0");
    // Unlike BEGIN EXCLUSIVE, this writes no journal, so that it works on a full disk.
    driver.exec("BEGIN IMMEDIATE");
    return { driver, identity: identify(path) };
  } catch (error) {
    driver.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Identifies what is at a path on its disk; undefined if there is nothing. */
function identify(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
