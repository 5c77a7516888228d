import { constants } from "node:fs";
import { access, open, rm, stat } from "node:fs/promises";
import { AppError } from "../../errors.ts";
import { blobNotFound } from "../blob-errors.ts";
import type { BlobArea, BlobKey, BlobStore } from "../store.ts";
import { createUploadTransfers } from "../upload-transfers.ts";
import { createBuffers } from "./buffers.ts";
import { createCompletedParts } from "./completed-parts.ts";
import { fromDisk, isMissing, toDiskError, unlessMissing } from "./errors.ts";
import { openDiskLayout, syncFolder } from "./layout.ts";
import { listArea, listStagedKeys, listUnknownFiles } from "./list.ts";
import { createDiskMarks } from "./marks.ts";
import { createPartWriter } from "./part-writer.ts";
import { readFileRange, readOpenFile } from "./read.ts";
import { createDiskSpace, type DiskSpaceOptions } from "./space.ts";
import { removeOldTemporaryFiles } from "./temporary-files.ts";
import { createStreamWriter, FIRST_RESERVATION_BYTES } from "./write-stream.ts";

export interface DiskStoreOptions extends Pick<DiskSpaceOptions, "listOpen" | "now"> {
  /** The folder of `blobs`, `staging` and `quarantine`, which is created if missing. */
  readonly dir: string;
  /** The free space that uploads must leave. */
  readonly minFreeBytes: number;
}

/**
 * Stores blobs as files of one file system, for one server instance: `blobs/ab/cd/<key>`, `staging/<key>`, `quarantine/ab/cd/<key>`. Flushes
 * data before a rename, and the folder after it.
 */
export async function openDiskStore({ dir, ...spaceOptions }: DiskStoreOptions): Promise<BlobStore> {
  const layout = await openDiskLayout(dir);
  await fromDisk(removeOldTemporaryFiles(layout.stagingFolder));
  const space = createDiskSpace({ folder: layout.stagingFolder, ...spaceOptions });
  const buffers = createBuffers(layout.stagingFolder);
  const transfers = createUploadTransfers();
  const completed = createCompletedParts();

  const sizeIn = async (area: BlobArea, key: BlobKey) => (await unlessMissing(stat(layout.blobPath(area, key))))?.size;
  const removePath = (path: string) => fromDisk(rm(path, { force: true, recursive: true }));

  function removeRecords(key: BlobKey): void {
    space.release(key);
    completed.remove(key);
  }

  /** Converts the error of a missing file. If the folder of its area is missing too, as after a lost mount, no blob was deleted. */
  async function toMissing(area: BlobArea, error: unknown): Promise<unknown> {
    const folder = await unlessMissing(stat(layout.areaFolder(area)));
    return folder === undefined ? toDiskError(error) : blobNotFound();
  }

  /** Moves `from` into `area`. Does nothing if that was done before. */
  async function moveOnce(area: BlobArea, key: BlobKey, from: string): Promise<void> {
    try {
      await layout.moveTo(area, key, from);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if ((await sizeIn(area, key)) === undefined) throw await toMissing(area, error);
      await layout.syncBlobFolder(area, key);
    }
  }

  return {
    kind: "disk",
    marks: createDiskMarks(dir),
    isOwn: ({ ref }) => ref === "",

    async stage(key, sizeBytes, options = {}) {
      const path = layout.stagedPath(key);
      const { groups = [], isDirect = false } = options;
      await space.reserve(key, {
        sizeBytes: sizeBytes ?? FIRST_RESERVATION_BYTES,
        groups,
        isInParts: sizeBytes !== undefined && !isDirect,
      });
      if (sizeBytes === undefined || isDirect) return { key, ref: "" };
      try {
        await makeSparse(path, sizeBytes);
        await syncFolder(layout.stagingFolder);
      } catch (error) {
        space.release(key);
        throw toDiskError(error);
      }
      return { key, ref: "" };
    },

    writeAll: createStreamWriter({ layout, buffers, transfers, space }),
    writePart: createPartWriter({ layout, buffers, transfers, completed, space }),

    commit: ({ key }, parts) =>
      transfers.closeUpload(key, async () => {
        const path = layout.stagedPath(key);
        if (parts) await unlessMissing(syncFile(path));
        await moveOnce("visible", key, path);
        if (parts) await removePath(layout.sidePath(key));
        removeRecords(key);
      }),

    discard: ({ key }) =>
      transfers.closeUpload(key, async () => {
        // Removes the visible blob last, so that a concurrent rename by another process finds nothing.
        await removePath(layout.stagedPath(key));
        await removePath(layout.sidePath(key));
        await removePath(layout.blobPath("visible", key));
        removeRecords(key);
      }),

    async openStaged({ key }) {
      try {
        const file = await open(layout.stagedPath(key), "r");
        return { read: (options) => readOpenFile(file, options), close: () => file.close() };
      } catch (error) {
        throw isMissing(error) ? blobNotFound() : toDiskError(error);
      }
    },

    async *read(key, { area = "visible", ...options } = {}) {
      try {
        yield* readFileRange(layout.blobPath(area, key), options);
      } catch (error) {
        throw isMissing(error) ? await toMissing(area, error) : error;
      }
    },

    localPath: (key) => layout.blobPath("visible", key),
    size: (key, area = "visible") => sizeIn(area, key),

    async remove(key) {
      await removePath(layout.blobPath("visible", key));
      await removePath(layout.blobPath("quarantine", key));
    },

    quarantine: (key) => moveOnce("quarantine", key, layout.blobPath("visible", key)),
    restore: (key) => moveOnce("visible", key, layout.blobPath("quarantine", key)),

    list: (area, after) => listArea(layout.areaFolder(area), after),
    listStaged: (after) => listStagedKeys(layout.stagingFolder, after),

    listUnknownFiles: () => listUnknownFiles(layout),
    removeUnknownFile: ({ path }) => removePath(path),

    async check() {
      try {
        const folders = [layout.stagingFolder, layout.areaFolder("visible"), layout.areaFolder("quarantine")];
        await Promise.all(folders.map((folder) => access(folder, constants.R_OK | constants.W_OK | constants.X_OK)));
        return { freeBytes: await space.freeBytes(), freeInodes: await space.freeInodes() };
      } catch (error) {
        throw new AppError("UNAVAILABLE", "The file store's folder is not writable. Check its permissions.", { cause: error });
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
