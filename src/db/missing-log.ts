import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { InstallationError } from "../errors.ts";

/** The position of the byte of a `-shm` file from which SQLite's processes lock it. Each that has the database open holds one of them. */
const FIRST_LOCK = 120;

/** The number of bytes at the beginning of a `-shm` file that say how many pages of which size its log has. */
const HEADER_BYTES = 20;

const FIX = "Put it back before the server ends, or restart the server with what is there";

/** A process uses a database whose log is not there. */
export class MissingLog extends InstallationError {
  readonly fix = FIX;

  constructor(readonly problem: string) {
    super(`${problem}. ${FIX}.`);
  }
}

/**
 * Throws MissingLog if a process uses the database at `path` but its log is not there, as after somebody moved or removed it. What is written then
 * damages the database, because the index of the log (`-shm`) names pages that the file lacks (storage, "The database"). Without Linux's list of locks,
 * does nothing.
 */
export function checkLogOfOthers(path: string): void {
  const holders = listHolders(`${path}-shm`);
  if (holders.length === 0) return;
  // A process loses all its locks on a file when it closes the file once, so one that has the database open does not open the index. If it lost them,
  // another process would write the index anew, which ends this one.
  const isMissing = holders.includes(process.pid)
    ? !existsSync(`${path}-wal`)
    : // A second look, because a log may become shorter while its index is read.
      lacksPages(path) && lacksPages(path) && listHolders(`${path}-shm`).length > 0;
  if (isMissing) throw new MissingLog(`The database ${path} is in use, but its log ${path}-wal was moved or removed`);
}

/** Whether the log is shorter than its index says. `readIndex` returns the header of the index; undefined if there is no whole one. */
export function lacksPages(path: string, readIndex = () => readHeader(`${path}-shm`)): boolean {
  const index = readIndex();
  if (index === undefined || index.getUint8(12) === 0) return false;
  const pageSize = index.getUint16(14, true);
  const pages = index.getUint32(16, true);
  const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return pages > 0 && size < 32 + pages * (24 + (pageSize === 1 ? 65_536 : pageSize));
}

/** Reads the header of an index; undefined if there is no whole one. */
function readHeader(path: string): DataView | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    return readHeaderOf(file);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads the header of an open index; undefined if there is no whole one. */
export function readHeaderOf(file: number): DataView | undefined {
  const bytes = new Uint8Array(HEADER_BYTES);
  return readSync(file, bytes, { position: 0 }) === HEADER_BYTES ? new DataView(bytes.buffer) : undefined;
}

/** Lists the processes that hold a lock of SQLite on the file. */
function listHolders(path: string): readonly number[] {
  const inode = statSync(path, { throwIfNoEntry: false })?.ino;
  return readLocks().flatMap((line) => {
    const [, , , , holder, file = "", start = ""] = line.split(/\s+/);
    return Number(file.split(":")[2]) === inode && Number(start) >= FIRST_LOCK ? [Number(holder)] : [];
  });
}

function readLocks(): readonly string[] {
  try {
    return readFileSync("/proc/locks", "utf8").split("\n");
  } catch {
    return [];
  }
}
