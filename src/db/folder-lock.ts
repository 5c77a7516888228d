import { join } from "node:path";
import { isBusy } from "./errors.ts";
import { Libsql } from "./libsql.ts";
import { createDatabaseFile } from "./local-file.ts";

/** Name of the lock file in the data folder, which is empty. */
const LOCK_FILE = "server.lock";

/**
 * Locks a data folder for this process (storage, "One server"); undefined if another process has locked it. The operating system releases the lock
 * when the process ends in any way. Throws the driver's errors for a folder that cannot be locked.
 */
export async function lockFolder(folder: string): Promise<Disposable | undefined> {
  const path = join(folder, LOCK_FILE);
  await createDatabaseFile(path);
  const driver = new Libsql(path);
  try {
    driver.exec("PRAGMA busy_timeout = 0");
    // Unlike BEGIN EXCLUSIVE, this writes no journal, so that it works on a full disk.
    driver.exec("BEGIN IMMEDIATE");
  } catch (error) {
    driver.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => void driver.close() };
}
