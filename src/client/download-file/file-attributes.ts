import { chmodSync, statSync, utimesSync } from "node:fs";

/** Attributes of a file that the sender sent beside its bytes. */
export interface FileAttributes {
  /** Milliseconds since 1970; undefined if the time is not known. */
  readonly modifiedMs: number | undefined;
  readonly isExecutable: boolean;
}

/**
 * Sets the modification time of a new file, and makes it executable for all users who may read it. Ignores errors, because some file systems have
 * neither attribute.
 */
export function applyAttributes(path: string, { modifiedMs, isExecutable }: FileAttributes): void {
  try {
    if (isExecutable) {
      const { mode } = statSync(path);
      chmodSync(path, mode | ((mode & 0o444) >> 2));
    }
    if (modifiedMs !== undefined) utimesSync(path, new Date(), new Date(modifiedMs));
  } catch {
    // The bytes of the file are complete, so a missing attribute is no error.
  }
}
