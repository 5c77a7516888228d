/** Reads dropped files and folders. */
import { type ChosenFile, toChosenFile } from "./chosen-files.ts";

/** Whether files can be dropped, because the device has a mouse or a trackpad. */
export const canDrop = matchMedia("(any-pointer: fine)").matches;
const FILES_TOGETHER = 100;

export interface Dropped {
  readonly files: readonly ChosenFile[];
  /** Whether some files could not be read. */
  readonly hasFailed: boolean;
  readonly hasFolder: boolean;
}

/** Reads dropped files. Must be called in the event's handler, before any wait, because the browser empties the transfer afterwards. */
export async function readDropped(data: DataTransfer, onCount: (files: number) => void): Promise<Dropped> {
  const items = [...data.items].filter(({ kind }) => kind === "file");
  const found = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }));
  const files: ChosenFile[] = [];
  let hasFailed = false;
  const note = (added: readonly ChosenFile[]) => {
    files.push(...added);
    onCount(files.length);
  };

  async function readFolder(folder: FileSystemDirectoryEntry): Promise<void> {
    const entries = await listEntries(folder).catch(() => {
      hasFailed = true;
      return [];
    });
    const own = entries.filter(({ isFile }) => isFile) as FileSystemFileEntry[];
    for (let from = 0; from < own.length; from += FILES_TOGETHER) {
      const read = await Promise.allSettled(own.slice(from, from + FILES_TOGETHER).map(readEntry));
      hasFailed ||= read.some(({ status }) => status === "rejected");
      note(read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
    }
    for (const entry of entries) if (entry.isDirectory) await readFolder(entry as FileSystemDirectoryEntry);
  }

  for (const { entry, file } of found) {
    if (entry?.isDirectory) await readFolder(entry as FileSystemDirectoryEntry);
    else if (file) note([toChosenFile(file)]);
  }
  return { files, hasFailed, hasFolder: found.some(({ entry }) => entry?.isDirectory) };
}

/** Lists all entries of a folder. Browsers list a hundred entries at a time. */
async function listEntries(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function readEntry(entry: FileSystemFileEntry): Promise<ChosenFile> {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  return { path: entry.fullPath.split("/").filter(Boolean).join("/") || file.name, file };
}
