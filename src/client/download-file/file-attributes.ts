import { chmodSync, statSync, utimesSync } from "node:fs";

/** What the sender told of a file beside its bytes. */
export interface FileAttributes {
  /** Undefined if it is not known. */
  readonly modifiedMs: number | undefined;
  readonly isExecutable: boolean;
}

/**
 * Gives a file that this process has made the time of change, and the right to execute it to all who may read it. Some file systems have neither, which
 * is no reason to lose the file.
 */
export function applyAttributes(path: string, { modifiedMs, isExecutable }: FileAttributes): void {
  try {
    if (isExecutable) {
      const { mode } = statSync(path);
      chmodSync(path, mode | ((mode & 0o444) >> 2));
    }
    if (modifiedMs !== undefined) utimesSync(path, new Date(), new Date(modifiedMs));
  } catch {
    // The bytes are complete.
  }
}
