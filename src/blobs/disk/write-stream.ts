import { constants } from "node:fs";
import { rm } from "node:fs/promises";
import { AppError } from "../../errors.ts";
import type { BlobStore } from "../store.ts";
import type { UploadTransfers } from "../upload-transfers.ts";
import type { Buffers } from "./buffers.ts";
import { createFileWriter } from "./file-writer.ts";
import type { DiskLayout } from "./layout.ts";
import type { DiskSpace } from "./space.ts";

export interface StreamWriterOptions {
  readonly layout: DiskLayout;
  readonly buffers: Buffers;
  readonly transfers: UploadTransfers;
  readonly space: DiskSpace;
}

/** The first reservation of disk space for a body of undeclared size. Later steps double it, up to `MAX_STEP_BYTES` at a time. */
export const FIRST_RESERVATION_BYTES = 1024 * 1024;
const MAX_STEP_BYTES = 64 * 1024 * 1024;

/** Creates `BlobStore.writeAll` for a disk. A small body takes one open, one write, one sync and one close. */
export function createStreamWriter({ layout, buffers, transfers, space }: StreamWriterOptions): BlobStore["writeAll"] {
  const writing = new Set<string>();

  return async ({ key }, body) => {
    const path = layout.stagedPath(key);
    if (writing.has(key)) throw new AppError("CONFLICT", "This file is already being written. Wait for that transfer to end.");
    writing.add(key);
    try {
      return await transfers.run(key, async (transfer) => {
        // Prepares while the data is written, so that one sync of the journal covers both. `commit` repeats a failed preparation and reports its
        // error.
        const prepared = layout.prepare("visible", key).catch(() => undefined);
        let reservedBytes = space.reservedBytes(key);
        const file = createFileWriter({ path, flags: constants.O_CREAT | constants.O_TRUNC, offset: 0, sizeBytes: reservedBytes, buffers });
        let sizeBytes = 0;
        try {
          await transfer.receive(body, async (chunk) => {
            sizeBytes += chunk.length;
            if (sizeBytes > reservedBytes) {
              reservedBytes = sizeBytes + Math.min(Math.max(reservedBytes, FIRST_RESERVATION_BYTES), MAX_STEP_BYTES);
              await space.growTo(key, reservedBytes);
            }
            await file.write(chunk);
          });
          await file.sync();
          await prepared;
          transfer.check();
        } catch (error) {
          await file.close();
          await rm(path, { force: true });
          space.release(key);
          throw error;
        } finally {
          await file.close();
        }
        return { sizeBytes };
      });
    } finally {
      writing.delete(key);
    }
  };
}
