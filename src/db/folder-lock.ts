import { join } from "node:path";
import { isBusy } from "./errors.ts";
import { Libsql } from "./libsql.ts";
import { createDatabaseFile } from "./local-file.ts";

/** In the data folder; empty. */
const LOCK_FILE = "server.lock";

/**
 * Locks a data folder for this process (storage, "One server"). Undefined if another process has it. The operating system releases the lock
 * with the process, however that ends. Throws the driver's errors for a folder that cannot be locked.
 */
export async function lockFolder(folder: string): Promise<Disposable | undefined> {
  const path = join(folder, LOCK_FILE);
  await createDatabaseFile(path);
  const driver = new Libsql(path);
  try {
    driver.exec("PRAGMA busy_timeout = 0");
    // Unlike BEGIN EXCLUSIVE, it writes no journal, so that it works on a full disk.
    driver.exec("BEGIN IMMEDIATE");
  } catch (error) {
    driver.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => void driver.close() };
}
