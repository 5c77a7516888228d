import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "./disk-errors.ts";
import type { DiskLayout } from "./disk-layout.ts";
import { isBlobKey, type Stranger } from "./store.ts";

const FOLDER = /^[0-9a-f]{2}$/;

/**
 * Files in the store's folders whose name or place no blob has. Hidden ones are those of whoever tries the disk, and folders of others, such as
 * `lost+found`, are theirs; both are left alone.
 */
export async function* findStrangers({ areaFolder, stagingFolder }: DiskLayout): AsyncGenerator<Stranger> {
  for (const where of ["visible", "quarantine"] as const)
    for await (const path of strangersBelow(areaFolder(where), "")) yield { path, where };
  for await (const { name, isFile } of entriesOf(stagingFolder))
    if (isFile && !isBlobKey(name)) yield { path: join(stagingFolder, name), where: "staging" };
}

/** `begin` is how names of blobs begin here. */
async function* strangersBelow(folder: string, begin: string): AsyncGenerator<string> {
  const isLeaf = begin.length === 4;
  for await (const { name, isFile } of entriesOf(folder)) {
    if (!isFile && !isLeaf && FOLDER.test(name)) yield* strangersBelow(join(folder, name), begin + name);
    if (isFile && !(isLeaf && isBlobKey(name) && name.startsWith(begin))) yield join(folder, name);
  }
}

async function* entriesOf(folder: string): AsyncGenerator<{ name: string; isFile: boolean }> {
  const opened = await unlessMissing(opendir(folder));
  if (!opened) return;
  for await (const entry of opened) {
    if (!entry.name.startsWith(".") && (entry.isFile() || entry.isDirectory())) yield { name: entry.name, isFile: entry.isFile() };
  }
}
