import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { fromDisk, isMissing, systemCode } from "./disk-errors.ts";
import { type BlobArea, type BlobKey, isBlobKey } from "./store.ts";

/** Where blobs of one folder lie, and how they get to their places durably. */
export interface DiskLayout {
  readonly stagingFolder: string;
  readonly areaFolder: (area: BlobArea) => string;
  /** Throws for anything but a key of ours, so that no path comes from outside. */
  readonly stagedPath: (key: BlobKey) => string;
  /** The folder of part files that wait for their place in the whole. */
  readonly sidePath: (key: BlobKey) => string;
  readonly blobPath: (area: BlobArea, key: BlobKey) => string;
  /** Makes the folder that a blob will need. Worth calling early: it then shares a flush with the data. */
  readonly prepare: (area: BlobArea, key: BlobKey) => Promise<void>;
  /** Renames `from` to the blob's place and flushes the folders; rejects with ENOENT as cause where `from` is not there. */
  readonly moveTo: (area: BlobArea, key: BlobKey, from: string) => Promise<void>;
  readonly syncPlace: (area: BlobArea, key: BlobKey) => Promise<void>;
}

/** Makes the three folders (mode 0700) under `dir` where they are missing. */
export async function openDiskLayout(dir: string): Promise<DiskLayout> {
  const stagingFolder = join(dir, "staging");
  const areas: Record<BlobArea, Area> = { visible: newArea(join(dir, "blobs")), quarantine: newArea(join(dir, "quarantine")) };
  const folders = [stagingFolder, areas.visible.folder, areas.quarantine.folder];
  await fromDisk(Promise.all(folders.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 }))));
  await fromDisk(syncFolder(dir));

  const blobPath = (area: BlobArea, key: BlobKey) => join(leafOf(areas[area], key), key);
  const syncPlace = (area: BlobArea, key: BlobKey) => fromDisk(syncLeaf(areas[area], key));

  return {
    stagingFolder,
    areaFolder: (area) => areas[area].folder,
    stagedPath: (key) => join(stagingFolder, checked(key)),
    sidePath: (key) => join(stagingFolder, `${checked(key)}.parts`),
    blobPath,
    prepare: (area, key) => fromDisk(makeLeaf(areas[area], key)),
    async moveTo(area, key, from) {
      const to = blobPath(area, key);
      await fromDisk(makeLeaf(areas[area], key));
      try {
        await rename(from, to);
      } catch (error) {
        if (!isMissing(error)) return fromDisk(Promise.reject(error));
        // The folder itself may have been tidied away by somebody else since it was made.
        areas[area].made[leafNumber(key)] = 0;
        await fromDisk(makeLeaf(areas[area], key));
        await fromDisk(rename(from, to));
      }
      await syncPlace(area, key);
    },
    syncPlace,
  };
}

/** Flushes a folder's entries to the disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

interface Area {
  readonly folder: string;
  /** Per leaf folder: 1 it is there, 2 and its parents' entries are on the disk. */
  readonly made: Uint8Array;
}

const newArea = (folder: string): Area => ({ folder, made: new Uint8Array(0x10000) });

const leafNumber = (key: BlobKey) => Number.parseInt(key.slice(0, 4), 16);
const leafOf = (area: Area, key: BlobKey) => join(area.folder, checked(key).slice(0, 2), key.slice(2, 4));

function checked(key: BlobKey): BlobKey {
  if (!isBlobKey(key)) throw new Error("Not the key of a blob");
  return key;
}

async function makeLeaf(area: Area, key: BlobKey): Promise<void> {
  const leaf = leafOf(area, key);
  if (area.made[leafNumber(key)]) return;
  try {
    await makeFolder(leaf);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(join(area.folder, key.slice(0, 2)));
    await makeFolder(leaf);
  }
  area.made[leafNumber(key)] ||= 1;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

async function syncLeaf(area: Area, key: BlobKey): Promise<void> {
  const leaf = leafOf(area, key);
  if (area.made[leafNumber(key)] === 2) return syncFolder(leaf);
  await Promise.all([leaf, join(area.folder, key.slice(0, 2)), area.folder].map(syncFolder));
  area.made[leafNumber(key)] = 2;
}
