import { constants } from "node:fs";
import { access, mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { systemCode, toInstallationError } from "../../errors.ts";
import { type BlobArea, type BlobKey, isBlobKey } from "../store.ts";
import { fromDisk, isMissing } from "./errors.ts";

/** The paths of blobs in one folder, and durable moves between them. */
export interface DiskLayout {
  readonly stagingFolder: string;
  readonly areaFolder: (area: BlobArea) => string;
  /** Returns the path of a staged blob. Throws unless the key is a blob key, so that no client chooses a path. */
  readonly stagedPath: (key: BlobKey) => string;
  /** Returns the folder of part files that are not copied into the staged file yet. */
  readonly sidePath: (key: BlobKey) => string;
  readonly blobPath: (area: BlobArea, key: BlobKey) => string;
  /** Creates the folder of a blob. An early call shares a flush with the data. */
  readonly prepare: (area: BlobArea, key: BlobKey) => Promise<void>;
  /** Renames `from` to the blob's path and flushes the folders. Rejects with ENOENT as cause if `from` does not exist. */
  readonly moveTo: (area: BlobArea, key: BlobKey, from: string) => Promise<void>;
  readonly syncBlobFolder: (area: BlobArea, key: BlobKey) => Promise<void>;
}

/** Creates the three folders (mode 0700) under `dir` if missing. */
export async function openDiskLayout(dir: string): Promise<DiskLayout> {
  const stagingFolder = join(dir, "staging");
  const areas: Record<BlobArea, Area> = { visible: newArea(join(dir, "blobs")), quarantine: newArea(join(dir, "quarantine")) };
  const folders = [stagingFolder, areas.visible.folder, areas.quarantine.folder];
  for (const folder of folders) await openFolder(folder);
  await fromDisk(syncFolder(dir));

  const blobPath = (area: BlobArea, key: BlobKey) => join(leafOf(areas[area], key), key);
  const syncBlobFolder = (area: BlobArea, key: BlobKey) => fromDisk(syncLeaf(areas[area], key));

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
        // Another program may have removed the empty folder since it was created.
        areas[area].folderStates[leafNumber(key)] = 0;
        await fromDisk(makeLeaf(areas[area], key));
        await fromDisk(rename(from, to));
      }
      await syncBlobFolder(area, key);
    },
    syncBlobFolder,
  };
}

async function openFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw toInstallationError(`The folder ${path} of stored files`, error);
  }
}

/** Flushes a folder's entries to disk. */
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
  /** The state by leaf folder: 1 if it exists, 2 if its parents' entries are flushed too. */
  readonly folderStates: Uint8Array;
}

const newArea = (folder: string): Area => ({ folder, folderStates: new Uint8Array(0x10000) });

const leafNumber = (key: BlobKey) => Number.parseInt(key.slice(0, 4), 16);
const leafOf = (area: Area, key: BlobKey) => join(area.folder, checked(key).slice(0, 2), key.slice(2, 4));

function checked(key: BlobKey): BlobKey {
  if (!isBlobKey(key)) throw new Error("Not the key of a blob");
  return key;
}

async function makeLeaf(area: Area, key: BlobKey): Promise<void> {
  const leaf = leafOf(area, key);
  if (area.folderStates[leafNumber(key)]) return;
  try {
    await makeFolder(leaf);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(join(area.folder, key.slice(0, 2)));
    await makeFolder(leaf);
  }
  area.folderStates[leafNumber(key)] ||= 1;
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
  if (area.folderStates[leafNumber(key)] === 2) return syncFolder(leaf);
  await Promise.all([leaf, join(area.folder, key.slice(0, 2)), area.folder].map(syncFolder));
  area.folderStates[leafNumber(key)] = 2;
}
