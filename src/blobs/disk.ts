import { constants } from "node:fs";
import { access, open, rm, stat } from "node:fs/promises";
import { AppError } from "../errors.ts";
import { createBuffers } from "./disk-buffers.ts";
import { fromDisk, isMissing, toDiskError, unlessMissing } from "./disk-errors.ts";
import { openDiskLayout, syncFolder } from "./disk-layout.ts";
import { listArea, listStagedKeys } from "./disk-list.ts";
import { createPartWriter } from "./disk-parts.ts";
import { createPlacedParts } from "./disk-placed.ts";
import { readFileRange } from "./disk-read.ts";
import { createDiskSpace, type DiskSpaceOptions } from "./disk-space.ts";
import { findStrangers } from "./disk-strangers.ts";
import { createWholeWriter, FIRST_PROMISE_BYTES } from "./disk-whole.ts";
import type { BlobArea, BlobKey, BlobStore } from "./store.ts";
import { blobNotFound } from "./store-errors.ts";
import { createWriters } from "./upload-writers.ts";

export interface DiskStoreOptions extends Pick<DiskSpaceOptions, "listOpen" | "now"> {
  /** The folder that holds `blobs`, `staging` and `quarantine`; made where it is missing. */
  readonly dir: string;
  /** What uploads must leave free on that disk. */
  readonly minFreeBytes: number;
}

/**
 * Blobs in files of one file system, for one server process: `blobs/ab/cd/<key>`, `staging/<key>`, `quarantine/ab/cd/<key>`.
 * Data is flushed before a rename, and the folder after it.
 */
export async function openDiskStore({ dir, ...room }: DiskStoreOptions): Promise<BlobStore> {
  const layout = await openDiskLayout(dir);
  const space = createDiskSpace({ folder: layout.stagingFolder, ...room });
  const buffers = createBuffers(layout.stagingFolder);
  const writers = createWriters();
  const placed = createPlacedParts();

  const sizeIn = async (area: BlobArea, key: BlobKey) => (await unlessMissing(stat(layout.blobPath(area, key))))?.size;
  const drop = (path: string) => fromDisk(rm(path, { force: true, recursive: true }));

  function forget(key: BlobKey): void {
    space.release(key);
    placed.forget(key);
  }

  /** Into `area` from `from`; fine where it has been done before. */
  async function moveOnce(area: BlobArea, key: BlobKey, from: string): Promise<void> {
    try {
      await layout.moveTo(area, key, from);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if ((await sizeIn(area, key)) === undefined) throw blobNotFound();
      await layout.syncPlace(area, key);
    }
  }

  return {
    kind: "disk",
    isOwn: ({ ref }) => ref === "",

    async stage(key, sizeBytes, options = {}) {
      const path = layout.stagedPath(key);
      const { groups = [], whole = false } = options;
      await space.promise(key, { sizeBytes: sizeBytes ?? FIRST_PROMISE_BYTES, groups, inParts: sizeBytes !== undefined && !whole });
      if (sizeBytes === undefined || whole) return { key, ref: "" };
      try {
        await makeSparse(path, sizeBytes);
        await syncFolder(layout.stagingFolder);
      } catch (error) {
        space.release(key);
        throw toDiskError(error);
      }
      return { key, ref: "" };
    },

    writeAll: createWholeWriter({ layout, buffers, writers, space }),
    writePart: createPartWriter({ layout, buffers, writers, placed, space }),

    commit: ({ key }, parts) =>
      writers.closing(key, async () => {
        const path = layout.stagedPath(key);
        if (parts) await unlessMissing(syncFile(path));
        await moveOnce("visible", key, path);
        if (parts) await drop(layout.sidePath(key));
        forget(key);
      }),

    discard: ({ key }) =>
      writers.closing(key, async () => {
        // The visible one last: a rename that another process is about to do finds nothing then.
        await drop(layout.stagedPath(key));
        await drop(layout.sidePath(key));
        await drop(layout.blobPath("visible", key));
        forget(key);
      }),

    async *read(key, { area = "visible", ...options } = {}) {
      try {
        yield* readFileRange(layout.blobPath(area, key), options);
      } catch (error) {
        throw isMissing(error) ? blobNotFound() : error;
      }
    },

    localPath: (key) => layout.blobPath("visible", key),
    size: (key, area = "visible") => sizeIn(area, key),

    async remove(key) {
      await drop(layout.blobPath("visible", key));
      await drop(layout.blobPath("quarantine", key));
    },

    quarantine: (key) => moveOnce("quarantine", key, layout.blobPath("visible", key)),

    async restore(key) {
      const from = layout.blobPath("quarantine", key);
      if ((await sizeIn("quarantine", key)) === undefined) throw blobNotFound();
      await moveOnce("visible", key, from);
    },

    list: (area, after) => listArea(layout.areaFolder(area), after),
    listStaged: (after) => listStagedKeys(layout.stagingFolder, after),

    listStrangers: () => findStrangers(layout),
    removeStranger: ({ path }) => drop(path),

    async check() {
      try {
        const folders = [layout.stagingFolder, layout.areaFolder("visible"), layout.areaFolder("quarantine")];
        await Promise.all(folders.map((folder) => access(folder, constants.R_OK | constants.W_OK | constants.X_OK)));
        return { freeBytes: await space.freeBytes() };
      } catch (error) {
        throw new AppError("UNAVAILABLE", "The folder of the file store cannot be written to.", { cause: error });
      }
    },
  };
}

async function makeSparse(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.truncate(sizeBytes);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
