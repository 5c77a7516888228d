import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { AppError } from "../../errors.ts";

/** An open file of this machine. */
export interface LocalFile extends AsyncDisposable {
  readonly name: string;
  /** The absolute path. */
  readonly path: string;
  readonly sizeBytes: number;
  /** A version that changes when the file is replaced or written. */
  readonly version: string;
  /** A version that also changes when a program resets the modification time of a written file. */
  readonly contentVersion: string;
  readonly modifiedMs: number;
  /** Whether its owner may execute it. */
  readonly isExecutable: boolean;
  /** The kind of transformation of the file's bytes; undefined for the original bytes. */
  readonly variant?: string;
  /** Reads from `position` until the buffer is full. Resolves to the bytes read: fewer at the end of the file. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Throws CONFLICT if the file was written since it was opened, or has other attributes. */
  checkUnchanged(): Promise<void>;
  /** Whether another upload of the file can continue this one, because the version is unchanged. */
  hasSameVersion(): Promise<boolean>;
}

export interface FileSlice {
  readonly start: number;
  readonly size: number;
}

/** The cause of the error for a file that was written meanwhile. */
const FILE_CHANGED = Symbol("The file changed while it was read.");

export const fileChanged = (): AppError =>
  new AppError("CONFLICT", "The file changed while it was read. Upload it again when it is complete.", { cause: FILE_CHANGED });

/** Returns the error for changed attributes. A program may also have written other bytes, and reset the file's time. */
const attributesChanged = (): AppError =>
  new AppError("CONFLICT", "The name, the permissions or the links of the file changed while it was read. Upload it again.", {
    cause: FILE_CHANGED,
  });

export const isFileChanged = (error: AppError): boolean => error.cause === FILE_CHANGED;

interface Named {
  /** The absolute path. */
  readonly path: string;
  readonly name: string;
}

const handles = new WeakMap<LocalFile, FileHandle>();

/** Returns the handle of an open file. Undefined for a transformed file, such as an encrypted one, whose bytes differ. */
export const handleOf = (file: LocalFile): FileHandle | undefined => handles.get(file);

/**
 * Makes a LocalFile that owns the handle; closes the handle after an error. Throws VALIDATION_FAILED if it is not a file, otherwise the file system's
 * error.
 */
export async function toLocalFile(handle: FileHandle, named: Named): Promise<LocalFile> {
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new AppError("VALIDATION_FAILED", "It is not a file any more.");
    return describe(handle, stats, named);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function describe(handle: FileHandle, stats: BigIntStats, { path, name }: Named): LocalFile {
  const { size, mtimeNs, ctimeNs, mode } = stats;
  const version = versionOf(path, stats);
  async function hasSameVersion(): Promise<boolean> {
    const now = await handle.stat({ bigint: true });
    if (versionOf(path, now) !== version) return false;
    const named = await stat(path, { bigint: true }).catch(() => undefined);
    // A moved file may be moved back, so it has changed only if it has no name left.
    return named === undefined ? now.nlink > 0n : versionOf(path, named) === version;
  }
  const file: LocalFile = {
    name,
    path,
    sizeBytes: Number(size),
    version,
    contentVersion: contentVersionOf(path, stats),
    modifiedMs: Number(mtimeNs / 1_000_000n),
    isExecutable: (mode & 0o100n) !== 0n,
    async read(buffer, position) {
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    async checkUnchanged() {
      const now = await handle.stat({ bigint: true });
      // A program can reset `mtime`, but not `ctime`.
      if (now.size === size && now.mtimeNs === mtimeNs && now.ctimeNs === ctimeNs) return;
      throw (await hasSameVersion()) ? attributesChanged() : fileChanged();
    },
    hasSameVersion,
    [Symbol.asyncDispose]: () => handle.close(),
  };
  handles.set(file, handle);
  return file;
}

const versionOf = (path: string, { dev, ino, size, mtimeNs }: BigIntStats): string => [path, dev, ino, size, mtimeNs].join(":");

export const contentVersionOf = (path: string, stats: BigIntStats): string => `${versionOf(path, stats)}:${stats.ctimeNs}`;

/** Opens a file for reading. Throws like `toLocalFile`. */
export async function openLocalFile({ path, name }: Named): Promise<LocalFile> {
  // O_NONBLOCK opens a pipe without waiting for its writer.
  return await toLocalFile(await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)), { path, name });
}
