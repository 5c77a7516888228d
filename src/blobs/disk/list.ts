import { opendir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type BlobInfo, type BlobPage, isBlobKey, type StagedBlob, type UnknownFile } from "../store.ts";
import { fromDisk, unlessMissing } from "./errors.ts";
import type { DiskLayout } from "./layout.ts";

const PAGE_SIZE = 1000;

/** Lists blobs in the order of their keys. Holds the names of one leaf folder at a time, so a store of any size fits in memory. */
export async function listArea(folder: string, after = ""): Promise<BlobPage<BlobInfo>> {
  const items: BlobInfo[] = [];
  for (const upper of await foldersFrom(folder, after.slice(0, 2))) {
    const from = upper === after.slice(0, 2) ? after.slice(2, 4) : "";
    for (const lower of await foldersFrom(join(folder, upper), from)) {
      const leaf = join(folder, upper, lower);
      const keys = (await namesFrom(leaf, after)).filter((name) => isBlobKey(name) && name > after && name.startsWith(upper + lower));
      while (keys.length > 0 && items.length < PAGE_SIZE) items.push(...(await withSizes(leaf, keys.splice(0, PAGE_SIZE - items.length))));
      if (items.length === PAGE_SIZE) return { items, next: items.at(-1)?.key };
    }
  }
  return { items, next: undefined };
}

/** Lists the keys that have a staged file or a folder of part files. */
export async function listStagedKeys(folder: string, after = ""): Promise<BlobPage<StagedBlob>> {
  let keys = new Set<string>();
  const smallest = () => new Set([...keys].sort().slice(0, PAGE_SIZE));
  for await (const { name } of await fromDisk(opendir(folder))) {
    const key = name.replace(/\.parts$/, "");
    if (!isBlobKey(key) || key <= after) continue;
    keys.add(key);
    if (keys.size >= 2 * PAGE_SIZE) keys = smallest();
  }
  const items = Array.from(smallest(), (key) => ({ key, ref: "" }));
  return { items, next: items.length === PAGE_SIZE ? items.at(-1)?.key : undefined };
}

async function foldersFrom(folder: string, from: string): Promise<string[]> {
  return (await namesFrom(folder, from)).filter((name) => /^[0-9a-f]{2}$/.test(name));
}

async function namesFrom(folder: string, from: string): Promise<string[]> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  return names.filter((name) => name >= from).sort();
}

async function withSizes(leaf: string, keys: readonly string[]): Promise<BlobInfo[]> {
  const found = await Promise.all(keys.map((key) => unlessMissing(stat(join(leaf, key)))));
  return keys.flatMap((key, i) => {
    const info = found[i];
    return info?.isFile() ? [{ key, sizeBytes: info.size }] : [];
  });
}

const FOLDER = /^[0-9a-f]{2}$/;

/**
 * Yields files whose name or folder no blob can have. Skips hidden files, such as the marks of the store, and folders of other programs, such as
 * `lost+found`.
 */
export async function* listUnknownFiles({ areaFolder, stagingFolder }: DiskLayout): AsyncGenerator<UnknownFile> {
  for (const area of ["visible", "quarantine"] as const)
    for await (const path of unknownFilesBelow(areaFolder(area), "")) yield { path, area };
  for await (const { name, isFile } of entriesOf(stagingFolder))
    if (isFile && !isBlobKey(name)) yield { path: join(stagingFolder, name), area: "staging" };
}

/** Yields unknown files below a folder. `prefix` contains the first digits of the keys in this folder. */
async function* unknownFilesBelow(folder: string, prefix: string): AsyncGenerator<string> {
  const isLeaf = prefix.length === 4;
  for await (const { name, isFile } of entriesOf(folder)) {
    if (!isFile && !isLeaf && FOLDER.test(name)) yield* unknownFilesBelow(join(folder, name), prefix + name);
    if (isFile && !(isLeaf && isBlobKey(name) && name.startsWith(prefix))) yield join(folder, name);
  }
}

async function* entriesOf(folder: string): AsyncGenerator<{ name: string; isFile: boolean }> {
  const opened = await unlessMissing(opendir(folder));
  if (!opened) return;
  for await (const entry of opened) {
    if (!entry.name.startsWith(".") && (entry.isFile() || entry.isDirectory())) yield { name: entry.name, isFile: entry.isFile() };
  }
}
