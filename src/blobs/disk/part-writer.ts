import { createHash, randomBytes } from "node:crypto";
import { access, mkdir, open, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isStorageFull, systemCode } from "../../errors.ts";
import { digestMismatch, partReplaced, sizeMismatch, uploadClosed } from "../blob-errors.ts";
import type { BlobStore, PartInput, StagedBlob, WrittenPart } from "../store.ts";
import type { BlobTransfer, PartTransfers, UploadTransfers } from "../upload-transfers.ts";
import type { Buffers } from "./buffers.ts";
import type { CompletedParts } from "./completed-parts.ts";
import { fromDisk, isMissing, toDiskError } from "./errors.ts";
import { createFileWriter } from "./file-writer.ts";
import type { DiskLayout } from "./layout.ts";
import { readFileRange } from "./read.ts";
import type { DiskSpace } from "./space.ts";

export interface PartWriterOptions {
  readonly layout: DiskLayout;
  readonly buffers: Buffers;
  readonly transfers: UploadTransfers;
  readonly completed: CompletedParts;
  readonly space: DiskSpace;
}

type Body = AsyncIterable<Uint8Array>;
type OnWritten = (part: WrittenPart) => Promise<void>;

/**
 * Creates `BlobStore.writePart` for a disk. The first transfer of a part writes in place; while the part is stored or being written, another transfer
 * writes a side file, which is copied into place once verified. Space for the side file is reserved until it is removed.
 */
export function createPartWriter({ layout, buffers, transfers, completed, space }: PartWriterOptions): BlobStore["writePart"] {
  return (staged, input, body, onWritten) => {
    const path = layout.stagedPath(staged.key);
    return transfers.runPart(staged.key, input.partNumber, async (transfer, partTransfers) => {
      const exit = await space.enter(staged.key);
      try {
        await access(path);
        const needsSideFile = isUploaded() || partTransfers.inPlace !== undefined || partTransfers.mutex.isHeld;
        return await (needsSideFile ? writeSideFile(transfer, partTransfers) : writeInPlace(transfer, partTransfers));
      } catch (error) {
        throw isMissing(error) ? uploadClosed() : toDiskError(error);
      } finally {
        exit();
      }
    });

    function isUploaded(): boolean {
      return input.isUploaded || completed.has(staged.key, input.partNumber);
    }

    /** Reserves space for a side file; undefined if there is none but the part can be written in place, for which space is reserved already. */
    async function reserveSideFile(side: string, partTransfers: PartTransfers): Promise<(() => void) | undefined> {
      try {
        return await space.reserveSideFileSpace(staged.key, side, input.sizeBytes);
      } catch (error) {
        const current = partTransfers.inPlace;
        if (!isStorageFull(error) || !current || current.verified) throw error;
        current.transfer.stop(partReplaced());
        await current.transfer.finished;
        if (isUploaded() || partTransfers.inPlace !== undefined || partTransfers.mutex.isHeld) throw error;
        return undefined;
      }
    }

    async function writeInPlace(transfer: BlobTransfer, partTransfers: PartTransfers): Promise<WrittenPart> {
      const current = { transfer, sha256: input.sha256, verified: false };
      partTransfers.inPlace = current;
      try {
        await receivePart({ transfer, input, body, path, offset: input.offset });
        current.verified = true;
        transfer.markFinished();
        return await partTransfers.mutex.run(async () => {
          transfer.check();
          return record(staged, input, onWritten);
        });
      } finally {
        transfer.markFinished();
        if (partTransfers.inPlace === current) partTransfers.inPlace = undefined;
      }
    }

    async function writeSideFile(transfer: BlobTransfer, partTransfers: PartTransfers): Promise<WrittenPart> {
      const folder = layout.sidePath(staged.key);
      const side = join(folder, `${input.partNumber}.${randomBytes(8).toString("hex")}`);
      const release = await reserveSideFile(side, partTransfers);
      if (!release) return await writeInPlace(transfer, partTransfers);
      const removeSideFile = () => rm(side, { force: true });
      try {
        await createSideFile(folder, side);
        await receivePart({ transfer, input, body, path: side, offset: 0 });
        return await partTransfers.mutex.run(async () => {
          await stopCurrent(partTransfers, input);
          // Does not interrupt the copy from this point on, because half a part in place would be worse than a late one.
          transfer.check();
          if (!(await holdsPart(path, input))) {
            await input.onReplace?.();
            await copyPart(side, path, input);
          }
          await fromDisk(removeSideFile());
          transfer.markFinished();
          return record(staged, input, onWritten);
        });
      } finally {
        await removeSideFile().catch(() => undefined);
        await rmdir(folder).catch(() => undefined);
        release();
        transfer.markFinished();
      }
    }
  };

  async function record(staged: StagedBlob, input: PartInput, onWritten: OnWritten): Promise<WrittenPart> {
    const part = { etag: `"${input.sha256}"` };
    completed.add(staged.key, input.partNumber);
    await onWritten(part);
    return part;
  }

  interface ReceiveOptions {
    readonly transfer: BlobTransfer;
    readonly input: PartInput;
    readonly body: Body;
    readonly path: string;
    readonly offset: number;
  }

  /** Writes the body durably and verifies it. Never writes more bytes than the size of the part. */
  async function receivePart({ transfer, input, body, path, offset }: ReceiveOptions): Promise<void> {
    const file = createFileWriter({ path, flags: 0, offset, sizeBytes: input.sizeBytes, buffers });
    const hash = createHash("sha256");
    let received = 0;
    try {
      await transfer.receive(body, async (chunk) => {
        received += chunk.length;
        if (received > input.sizeBytes) throw sizeMismatch(input, "more");
        hash.update(chunk);
        await file.write(chunk);
      });
      if (received < input.sizeBytes) throw sizeMismatch(input, `${received}`);
      if (hash.digest("hex") !== input.sha256) throw digestMismatch(input);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async function copyPart(from: string, to: string, { offset, sizeBytes }: PartInput): Promise<void> {
    const file = createFileWriter({ path: to, flags: 0, offset, sizeBytes, buffers });
    try {
      for await (const chunk of readFileRange(from, { range: { start: 0, end: sizeBytes } })) await file.write(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Returns whether the part's bytes are already in place, and makes them durable if so. */
  async function holdsPart(path: string, { offset, sizeBytes, sha256 }: PartInput): Promise<boolean> {
    const hash = createHash("sha256");
    for await (const chunk of readFileRange(path, { range: { start: offset, end: offset + sizeBytes } })) hash.update(chunk);
    if (hash.digest("hex") !== sha256) return false;
    const file = createFileWriter({ path, flags: 0, offset, sizeBytes, buffers });
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    return true;
  }
}

/** Stops a transfer that is writing in place, unless it has just written the same bytes. */
async function stopCurrent(partTransfers: PartTransfers, input: PartInput): Promise<void> {
  const current = partTransfers.inPlace;
  if (!current || (current.verified && current.sha256 === input.sha256)) return;
  current.transfer.stop(partReplaced());
  await current.transfer.finished;
}

/** Creates the side file and its folder, which another transfer of the upload may remove whenever it is empty. */
async function createSideFile(folder: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(folder, { mode: 0o700 }).catch(unlessExists);
      return await (await open(path, "wx", 0o600)).close();
    } catch (error) {
      if (!isMissing(error) || attempt === MAX_ATTEMPTS) return await fromDisk(Promise.reject(error));
    }
  }
}

const MAX_ATTEMPTS = 100;

function unlessExists(error: unknown): void {
  if (systemCode(error) !== "EEXIST") throw error;
}
