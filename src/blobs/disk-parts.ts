import { createHash, randomBytes } from "node:crypto";
import { access, mkdir, open, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Buffers } from "./disk-buffers.ts";
import { fromDisk, isMissing, isStorageFull, systemCode, toDiskError } from "./disk-errors.ts";
import type { DiskLayout } from "./disk-layout.ts";
import type { PlacedParts } from "./disk-placed.ts";
import { readFileRange } from "./disk-read.ts";
import { createSink } from "./disk-sink.ts";
import type { DiskSpace } from "./disk-space.ts";
import type { BlobStore, PartPlace, StagedBlob, WrittenPart } from "./store.ts";
import { digestMismatch, partTakenOver, sizeMismatch, uploadClosed } from "./store-errors.ts";
import type { Slot, Writer, Writers } from "./upload-writers.ts";

export interface PartWriting {
  readonly layout: DiskLayout;
  readonly buffers: Buffers;
  readonly writers: Writers;
  readonly placed: PlacedParts;
  readonly space: DiskSpace;
}

type Body = AsyncIterable<Uint8Array>;
type OnPlaced = (part: WrittenPart) => Promise<void>;

/**
 * `BlobStore.writePart` on a disk. The first writer of a part writes it in its place. Whoever comes while the part has arrived, or is
 * being written, writes a file beside it, and the bytes get their place once they are verified: nothing that arrived is touched before.
 * That file's bytes are promised before the first of them is written, until the file has gone.
 */
export function createPartWriter({ layout, buffers, writers, placed, space }: PartWriting): BlobStore["writePart"] {
  return (staged, place, body, onPlaced) => {
    const path = layout.stagedPath(staged.key);
    return writers.runPart(staged.key, place.partNumber, async (writer, slot) => {
      const leave = await space.enter(staged.key);
      try {
        await access(path);
        const aside = hasArrived() || slot.inPlace !== undefined || slot.busy;
        return await (aside ? writeAside(writer, slot) : writeInPlace(writer, slot));
      } catch (error) {
        throw isMissing(error) ? uploadClosed() : toDiskError(error);
      } finally {
        leave();
      }
    });

    function hasArrived(): boolean {
      return place.arrived || placed.has(staged.key, place.partNumber);
    }

    /** Undefined where there is no room beside the part, and its place, which is promised, is free after all. */
    async function promiseSide(side: string, slot: Slot): Promise<(() => void) | undefined> {
      try {
        return await space.promiseBeside(staged.key, side, place.sizeBytes);
      } catch (error) {
        const rival = slot.inPlace;
        if (!isStorageFull(error) || !rival || rival.verified) throw error;
        rival.writer.stop(partTakenOver());
        await rival.writer.quiet;
        if (hasArrived() || slot.inPlace !== undefined || slot.busy) throw error;
        return undefined;
      }
    }

    async function writeInPlace(writer: Writer, slot: Slot): Promise<WrittenPart> {
      const mine = { writer, sha256: place.sha256, verified: false };
      slot.inPlace = mine;
      try {
        await receivePart({ writer, place, body, path, offset: place.offset });
        mine.verified = true;
        writer.settle();
        return await slot.locked(async () => {
          writer.check();
          return record(staged, place, onPlaced);
        });
      } finally {
        writer.settle();
        if (slot.inPlace === mine) slot.inPlace = undefined;
      }
    }

    async function writeAside(writer: Writer, slot: Slot): Promise<WrittenPart> {
      const folder = layout.sidePath(staged.key);
      const side = join(folder, `${place.partNumber}.${randomBytes(8).toString("hex")}`);
      const release = await promiseSide(side, slot);
      if (!release) return await writeInPlace(writer, slot);
      const dropSide = () => rm(side, { force: true });
      try {
        await makeSideFile(folder, side);
        await receivePart({ writer, place, body, path: side, offset: 0 });
        return await slot.locked(async () => {
          await supersede(slot, place);
          // From here on it goes to its end: half a part in place would be worse than a late one.
          writer.check();
          if (!(await holdsPart(path, place))) {
            await place.onReplace?.();
            await copyPart(side, path, place);
          }
          await fromDisk(dropSide());
          writer.settle();
          return record(staged, place, onPlaced);
        });
      } finally {
        await dropSide().catch(() => undefined);
        await rmdir(folder).catch(() => undefined);
        release();
        writer.settle();
      }
    }
  };

  async function record(staged: StagedBlob, place: PartPlace, onPlaced: OnPlaced): Promise<WrittenPart> {
    const part = { etag: `"${place.sha256}"` };
    placed.add(staged.key, place.partNumber);
    await onPlaced(part);
    return part;
  }

  interface Receiving {
    readonly writer: Writer;
    readonly place: PartPlace;
    readonly body: Body;
    readonly path: string;
    readonly offset: number;
  }

  /** Writes the body durably and verifies it; never a byte more than the part has. */
  async function receivePart({ writer, place, body, path, offset }: Receiving): Promise<void> {
    const sink = createSink({ path, flags: 0, offset, buffers });
    const hash = createHash("sha256");
    let received = 0;
    try {
      await writer.receive(body, async (chunk) => {
        received += chunk.length;
        if (received > place.sizeBytes) throw sizeMismatch(place, "more");
        hash.update(chunk);
        await sink.push(chunk);
      });
      if (received < place.sizeBytes) throw sizeMismatch(place, `${received}`);
      if (hash.digest("hex") !== place.sha256) throw digestMismatch(place);
      await sink.finish();
    } finally {
      await sink.close();
    }
  }

  async function copyPart(from: string, to: string, { offset, sizeBytes }: PartPlace): Promise<void> {
    const sink = createSink({ path: to, flags: 0, offset, buffers });
    try {
      for await (const chunk of readFileRange(from, { range: { start: 0, end: sizeBytes } })) await sink.push(chunk);
      await sink.finish();
    } finally {
      await sink.close();
    }
  }

  /** Whether the part's bytes are in place already; if so, durably. */
  async function holdsPart(path: string, { offset, sizeBytes, sha256 }: PartPlace): Promise<boolean> {
    const hash = createHash("sha256");
    for await (const chunk of readFileRange(path, { range: { start: offset, end: offset + sizeBytes } })) hash.update(chunk);
    if (hash.digest("hex") !== sha256) return false;
    const sink = createSink({ path, flags: 0, offset, buffers });
    try {
      await sink.finish();
    } finally {
      await sink.close();
    }
    return true;
  }
}

/** Takes the place from a writer that is still under way; one that has just placed the same bytes may keep its success. */
async function supersede(slot: Slot, place: PartPlace): Promise<void> {
  const rival = slot.inPlace;
  if (!rival || (rival.verified && rival.sha256 === place.sha256)) return;
  rival.writer.stop(partTakenOver());
  await rival.writer.quiet;
}

/** Makes the file and the folder that it lies in, which another transfer of the upload may remove at any moment while nothing is in it. */
async function makeSideFile(folder: string, path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await mkdir(folder, { mode: 0o700 }).catch(unlessThere);
      return await (await open(path, "wx", 0o600)).close();
    } catch (error) {
      if (!isMissing(error) || tries === SIDE_TRIES) return await fromDisk(Promise.reject(error));
    }
  }
}

const SIDE_TRIES = 100;

function unlessThere(error: unknown): void {
  if (systemCode(error) !== "EEXIST") throw error;
}
