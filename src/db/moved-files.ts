import { statSync } from "node:fs";
import { AppError } from "../errors.ts";

/** SQLite's files of a database in WAL mode, by what follows the path. */
const SUFFIXES = ["", "-wal", "-shm"];

/** A file of the open database is not where it was opened. */
export class DatabaseMoved extends AppError {
  constructor() {
    super("UNAVAILABLE", "The file of the server's database was moved, removed or emptied. Tell the administrator.", {
      retryAfterSeconds: 2,
    });
  }
}

/** Receives the path of a file that is not where it was opened, and undefined once all files are there again. */
export type MovedListener = (file: string | undefined) => void;

/**
 * Returns a function that throws DatabaseMoved while a file of the open database at `path` is moved, replaced, removed or emptied, or after its log was
 * truncated, because what is written to such a file is not there after a restart (storage, "The database").
 */
export function watchMovedFiles(path: string, isTruncated: () => boolean, onChange: MovedListener = () => {}): () => void {
  /** SQLite empties the log itself, but never the database. */
  const find = (file: string) => identify(file, { mayBeEmpty: file !== path });
  const opened = SUFFIXES.map((suffix) => path + suffix)
    .map((file) => ({ file, identity: find(file) }))
    .filter(({ identity }) => identity !== undefined);
  let moved: string | undefined;
  return () => {
    const found = opened.find(({ file, identity }) => find(file) !== identity)?.file ?? (isTruncated() ? `${path}-wal` : undefined);
    if (found !== moved) onChange(found);
    moved = found;
    if (found !== undefined) throw new DatabaseMoved();
  };
}

/** Identifies a file on its disk, whatever its name is; undefined if there is none, or if it is empty and may not be. */
function identify(path: string, { mayBeEmpty }: { readonly mayBeEmpty: boolean }): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && (mayBeEmpty || stats.size > 0n) ? `${stats.dev}:${stats.ino}` : undefined;
}
