import { constants, copyFile, open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../../errors.ts";
import { toFileName } from "../../lib/text/file-name.ts";
import { toLocalSegment } from "../../lib/text/local-segment.ts";
import { MAX_NAME_BYTES, shorten } from "../../lib/text/stored-name.ts";
import { newRandomId } from "../../transfer/retry.ts";
import { createByteStore } from "./byte-store.ts";
import { type Receiving, receiveFile } from "./receive-file.ts";
import { diskFull, toFullDisk } from "./receive-range.ts";
import type { SignedDownload } from "./signed-download.ts";

export interface SaveTarget {
  /** The name of the file. If undefined, the server's name is made safe, and gets a number if the file exists. */
  readonly name: string | undefined;
  /** Whether an existing file is replaced. */
  readonly overwrite: boolean;
}

export interface SavedFile {
  readonly name: string;
  readonly sha256: string;
}

/** The space for the longest number: ` (999)`. */
const NUMBER_BYTES = 8;
const MAX_NUMBER = 999;

/** An empty file with a temporary name, which is removed unless the file is saved. */
export interface NewFile extends AsyncDisposable {
  /** Throws STORAGE_FULL before the disk is filled. */
  checkSpace(sizeBytes: number): Promise<void>;
  /**
   * Receives a download, and gives the file its name when the bytes are complete and verified. Throws CONFLICT if the target exists, STORAGE_FULL,
   * and what `receiveFile` throws.
   */
  save(download: SignedDownload, target: SaveTarget, receiving: Receiving): Promise<SavedFile>;
}

/** Creates a file in a folder, whose path must stay valid until the file is saved. Throws the file system's error if it cannot be created. */
export async function createFile(folder: string): Promise<NewFile> {
  const temporary = join(folder, `filehost-${newRandomId()}.part`);
  const handle = await open(temporary, "wx");
  return {
    checkSpace: (sizeBytes) => checkSpace(folder, sizeBytes),
    async save(download, { name, overwrite }, receiving) {
      await checkSpace(folder, download.sizeBytes);
      try {
        await using store = createByteStore(handle, download.sizeBytes);
        const sha256 = await receiveFile(store, download, receiving);
        await handle.sync();
        return { sha256, name: await place(temporary, { folder, overwrite, names: namesOf(name, download) }) };
      } catch (error) {
        throw toFullDisk(error);
      }
    },
    async [Symbol.asyncDispose]() {
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

/** Throws STORAGE_FULL if a folder has less free space than `sizeBytes`. */
export async function checkSpace(folder: string, sizeBytes: number): Promise<void> {
  const space = await statfs(folder).catch(() => undefined);
  if (space !== undefined && space.bavail * space.bsize < sizeBytes) throw diskFull();
}

export interface Place {
  readonly folder: string;
  readonly overwrite: boolean;
  readonly names: Iterable<string>;
}

/** Gives the complete file the first of its names that is free. */
export async function place(temporary: string, { folder, overwrite, names }: Place): Promise<string> {
  for (const name of names) {
    const path = join(folder, name);
    if (!overwrite && !(await reserve(path))) continue;
    try {
      await move(temporary, path);
      return name;
    } catch (error) {
      if (!overwrite) await rm(path, { force: true });
      if (["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"].includes(systemCode(error) ?? "")) throw exists();
      throw error;
    }
  }
  throw exists();
}

/** Renames a file, or copies it to another file system. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    const copy = join(dirname(to), `filehost-${newRandomId()}.part`);
    try {
      await copyFile(from, copy, constants.COPYFILE_EXCL);
      await using file = await open(copy, "r+");
      const { atime, mtime } = await stat(from);
      await file.utimes(atime, mtime);
      await file.sync();
    } catch (error) {
      await rm(copy, { force: true });
      throw error;
    }
    await rename(copy, to);
    await rm(from, { force: true });
  }
}

/** Makes an empty file. Resolves to false if the name is taken, also by a symbolic link. */
async function reserve(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx")).close();
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

export const exists = (): AppError => new AppError("CONFLICT", "There is a file with this name already. Choose another name.");

export function* namesOf(chosen: string | undefined, { name: announced }: Pick<SignedDownload, "name">): Generator<string> {
  if (chosen !== undefined) yield chosen;
  else yield* numberedNames(toDiskName(announced));
}

/** Lists the names of a file whose name is safe: its own, then others with a number. */
export function* numberedNames(name: string): Generator<string> {
  yield name;
  const short = shorten(name, MAX_NAME_BYTES - NUMBER_BYTES);
  const dot = short.lastIndexOf(".");
  const cut = dot > 0 ? dot : short.length;
  for (let number = 2; number <= MAX_NUMBER; number += 1) yield `${short.slice(0, cut)} (${number})${short.slice(cut)}`;
}

/** Makes a received name safe: never a path, a hidden file or a name that this operating system reserves. */
export const toDiskName = (name: string): string => toLocalSegment(toFileName(name)).replace(/^\.+/, "_");
