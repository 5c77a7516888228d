import { opendir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fromDisk, unlessMissing } from "./disk-errors.ts";
import { type BlobInfo, type BlobPage, isBlobKey, type StagedBlob } from "./store.ts";

const PAGE_SIZE = 1000;

/** Walks two levels of folders in order; of a store of any size it holds one leaf folder at a time. */
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

/** The next keys that have anything in the staging folder, of the whole or of parts beside it. */
export async function listStagedKeys(folder: string, after = ""): Promise<BlobPage<StagedBlob>> {
  let keys = new Set<string>();
  const smallest = () => new Set([...keys].sort().slice(0, PAGE_SIZE));
  for await (const { name } of await fromDisk(opendir(folder))) {
    const key = name.slice(0, 32);
    if (!isBlobKey(key) || key <= after || (name !== key && name !== `${key}.parts`)) continue;
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
