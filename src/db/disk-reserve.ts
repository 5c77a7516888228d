import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Connection } from "./connection.ts";
import { codeOf, retryUntilUnlocked } from "./errors.ts";

/** The reserved space in the log and in the database file for writes on a full disk. SQLite copies the log to the file when half of it is used. */
const RESERVE_BYTES = 8 * 1024 * 1024;
/** Minimum free space on the disk, as a multiple of the reserve; with less, the reserve would fill the disk. */
const FREE_FACTOR = 8;

/**
 * Keeps space inside SQLite's own files (disk space, "A disk that others fill"): a log that is not truncated, and free pages. Does nothing if both
 * exist, or if the disk has little space left. `write` runs one statement and resolves when it is durable.
 */
export async function keepDiskReserve(path: string, connection: Connection, write: (sql: string) => Promise<void>): Promise<void> {
  if (hasReserve(path, connection)) return;
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize < RESERVE_BYTES * FREE_FACTOR) return;
  // Uses two commits, because pages that one transaction allocates and frees are not written.
  await write(`CREATE TABLE IF NOT EXISTS disk_reserve AS SELECT zeroblob(${RESERVE_BYTES})`);
  await write("DROP TABLE IF EXISTS disk_reserve");
}

/** Copies the log to the database file and restarts it without truncating it. Does not fail on a disk without space. */
export async function restartLog(connection: Connection): Promise<void> {
  try {
    await retryUntilUnlocked(() => connection.run("PRAGMA wal_checkpoint(RESTART)"));
  } catch (error) {
    if (!/^SQLITE_(FULL|IOERR|READONLY)/.test(codeOf(error))) throw error;
  }
}

/**
 * Copies what the log has to the database file, as far as no reader prevents it, because a log that was removed is lost when the process ends. Never
 * throws.
 */
export function saveLog(connection: Connection): void {
  try {
    connection.run("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // The refused write says what is wrong.
  }
}

function hasReserve(path: string, connection: Connection): boolean {
  const pages = Number(connection.first("PRAGMA freelist_count")?.freelist_count);
  const pageBytes = Number(connection.first("PRAGMA page_size")?.page_size);
  return pages * pageBytes >= RESERVE_BYTES / 2 && hasReservedLog(path);
}

/** Returns whether the log of the open database has the reserved size. */
export const hasReservedLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) >= RESERVE_BYTES;
