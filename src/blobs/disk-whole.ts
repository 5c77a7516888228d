import { constants } from "node:fs";
import { rm } from "node:fs/promises";
import { AppError } from "../errors.ts";
import type { Buffers } from "./disk-buffers.ts";
import type { DiskLayout } from "./disk-layout.ts";
import { createSink } from "./disk-sink.ts";
import type { DiskSpace } from "./disk-space.ts";
import type { BlobStore } from "./store.ts";
import type { Writers } from "./upload-writers.ts";

export interface WholeWriting {
  readonly layout: DiskLayout;
  readonly buffers: Buffers;
  readonly writers: Writers;
  readonly space: DiskSpace;
}

/** What a body that does not say its size is promised first; then twice as much each time, up to the maximum more. */
export const FIRST_PROMISE_BYTES = 1024 * 1024;
const MAX_STEP_BYTES = 64 * 1024 * 1024;

/** `BlobStore.writeAll` on a disk: a small body takes one open, one write, one flush and one close. */
export function createWholeWriter({ layout, buffers, writers, space }: WholeWriting): BlobStore["writeAll"] {
  const writing = new Set<string>();

  return async ({ key }, body) => {
    const path = layout.stagedPath(key);
    if (writing.has(key)) throw new AppError("CONFLICT", "These bytes are being written already. Wait for that transfer to end.");
    writing.add(key);
    try {
      return await writers.run(key, async (writer) => {
        // Beside the data, so that one flush of the journal covers both; what goes wrong here shows again in `commit`.
        const prepared = layout.prepare("visible", key).catch(() => undefined);
        const sink = createSink({ path, flags: constants.O_CREAT | constants.O_TRUNC, offset: 0, buffers });
        let sizeBytes = 0;
        let promisedBytes = space.promisedBytes(key);
        try {
          await writer.receive(body, async (chunk) => {
            sizeBytes += chunk.length;
            if (sizeBytes > promisedBytes) {
              promisedBytes = sizeBytes + Math.min(Math.max(promisedBytes, FIRST_PROMISE_BYTES), MAX_STEP_BYTES);
              await space.growTo(key, promisedBytes);
            }
            await sink.push(chunk);
          });
          await sink.finish();
          await prepared;
          writer.check();
        } catch (error) {
          await sink.close();
          await rm(path, { force: true });
          space.release(key);
          throw error;
        } finally {
          await sink.close();
        }
        return { sizeBytes };
      });
    } finally {
      writing.delete(key);
    }
  };
}
