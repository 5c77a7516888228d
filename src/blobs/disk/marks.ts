import { open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { markFileName, type StoreMarks } from "../store-marks.ts";
import { fromDisk, unlessMissing } from "./errors.ts";
import { syncFolder } from "./layout.ts";
import { newTemporaryPath } from "./temporary-files.ts";

/** Stores marks as hidden files in `blobs`, which lists of unknown files skip. */
export function createDiskMarks(dir: string): StoreMarks {
  const folder = join(dir, "blobs");
  return {
    read: (name) => unlessMissing(readFile(join(folder, markFileName(name)), "utf8")),
    async write(name, text) {
      const path = join(folder, markFileName(name));
      const written = newTemporaryPath(join(dir, "staging"));
      try {
        await fromDisk(writeDurably(written, text));
        await fromDisk(rename(written, path));
      } catch (error) {
        await rm(written, { force: true });
        throw error;
      }
      await fromDisk(syncFolder(folder));
    },
    async remove(name) {
      await fromDisk(rm(join(folder, markFileName(name)), { force: true }));
    },
  };
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
