import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { AppError } from "../../errors.ts";

/** An open file of this machine. */
export interface LocalFile extends AsyncDisposable {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Changes when the file is replaced or written. */
  readonly version: string;
  /** Changes also when a program sets the time of a written file back. */
  readonly contentVersion: string;
  readonly modifiedMs: number;
  /** Whether its owner may execute it. */
  readonly isExecutable: boolean;
  /** What was made of the file's bytes, if they are not its own. */
  readonly variant?: string;
  /** Reads from `position` until the buffer is full. Resolves to the bytes read: fewer at the end of the file. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Throws CONFLICT if the file was written since it was opened, or has other attributes. */
  checkUnchanged(): Promise<void>;
  /** Whether another upload of the file continues this one: its version is the same. */
  hasSameVersion(): Promise<boolean>;
}

export interface FileSlice {
  readonly start: number;
  readonly size: number;
}

/** The cause of an error of a file that was written meanwhile. */
const FILE_CHANGED = Symbol("The file changed while it was read.");

export const fileChanged = (): AppError =>
  new AppError("CONFLICT", "The file changed while it was read. Upload it again when it is complete.", { cause: FILE_CHANGED });

/** A program may also have written other bytes, and set the file's time back. */
const attributesChanged = (): AppError =>
  new AppError("CONFLICT", "The name, the permissions or the links of the file changed while it was read. Upload it again.", {
    cause: FILE_CHANGED,
  });

export const isFileChanged = (error: AppError): boolean => error.cause === FILE_CHANGED;

interface Named {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
}

const handles = new WeakMap<LocalFile, FileHandle>();

/** The handle of an open file. Undefined for a copy of it whose bytes may be others, such as encrypted ones. */
export const handleOf = (file: LocalFile): FileHandle | undefined => handles.get(file);

/** Takes over the handle, which is closed after an error. Throws VALIDATION_FAILED if it is no file, otherwise the file system's error. */
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
    // A file that was moved may be moved back: it has changed only if no name is left.
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
      // A program can set the first time back, not the second.
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

/** Opens a file that is only read. Throws as `toLocalFile`. */
export async function openLocalFile({ path, name }: Named): Promise<LocalFile> {
  // Without waiting for the writer of a pipe.
  return await toLocalFile(await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)), { path, name });
}
