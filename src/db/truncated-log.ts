import { openSync, statSync } from "node:fs";
import { lacksPages, readHeaderOf } from "./missing-log.ts";

/**
 * Returns a function that returns whether somebody has truncated the log of the open database at `path`, so that pages which its index names are lost.
 * A checkpoint truncates it too, but its index then names no pages. Once true, it stays true: the log must not be used any more.
 */
export function watchTruncatedLog(path: string): () => boolean {
  const readSize = (): number | undefined => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
  let isTruncated = false;
  let lastSize = readSize() ?? 0;
  /** Is never closed, because that would drop SQLite's locks on the file. */
  let index: number | undefined;
  const readIndex = (): DataView | undefined => {
    index ??= openSync(`${path}-shm`, "r");
    return readHeaderOf(index);
  };
  return () => {
    const size = readSize() ?? lastSize;
    // A second look, because another process may write the index meanwhile.
    if (!isTruncated && size < lastSize) isTruncated = lacksPages(path, readIndex) && lacksPages(path, readIndex);
    lastSize = size;
    return isTruncated;
  };
}
