import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import type { Buffers } from "./disk-buffers.ts";
import { fromDisk, isMissing, systemCode, toDiskError } from "./disk-errors.ts";
import type { DiskLayout } from "./disk-layout.ts";
import type { PlacedParts } from "./disk-placed.ts";
import { readFileRange } from "./disk-read.ts";
import { createSink } from "./disk-sink.ts";
import type { BlobStore, PartPlace, StagedBlob, WrittenPart } from "./store.ts";
import { digestMismatch, sizeMismatch, uploadClosed } from "./store-errors.ts";
import type { Slot, Writer, Writers } from "./upload-writers.ts";

export interface PartWriting {
  readonly layout: DiskLayout;
  readonly buffers: Buffers;
  readonly writers: Writers;
  readonly placed: PlacedParts;
  /** STORAGE_FULL where so many more bytes would not fit. */
  readonly ensureRoom: (sizeBytes: number) => Promise<void>;
}

type Body = AsyncIterable<Uint8Array>;
type OnPlaced = (part: WrittenPart) => Promise<void>;

/**
 * `BlobStore.writePart` on a disk. The first writer of a part writes it in its place. Whoever comes while the part has arrived, or is
 * being written, writes a file beside it, and the bytes get their place once they are verified: nothing that arrived is touched before.
 */
export function createPartWriter({ layout, buffers, writers, placed, ensureRoom }: PartWriting): BlobStore["writePart"] {
  return (staged, place, body, onPlaced) => {
    const path = layout.stagedPath(staged.key);
    return writers.runPart(staged.key, place.partNumber, async (writer, slot) => {
      try {
        await access(path);
        const aside = place.arrived || placed.has(staged.key, place.partNumber) || slot.inPlace !== undefined || slot.busy;
        return await (aside ? writeAside(writer, slot) : writeInPlace(writer, slot));
      } catch (error) {
        throw isMissing(error) ? uploadClosed() : toDiskError(error);
      }
    });

    async function writeInPlace(writer: Writer, slot: Slot): Promise<WrittenPart> {
      const mine = { writer, sha256: place.sha256, verified: false };
      slot.inPlace = mine;
      try {
        await receivePart({ writer, place, body, path, flags: 0, offset: place.offset });
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
      await ensureRoom(place.sizeBytes);
      const folder = layout.sidePath(staged.key);
      const side = join(folder, `${place.partNumber}.${randomBytes(8).toString("hex")}`);
      const dropSide = () => rm(side, { force: true });
      try {
        await makeSideFolder(folder);
        await receivePart({ writer, place, body, path: side, flags: constants.O_CREAT | constants.O_EXCL, offset: 0 });
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
    readonly flags: number;
    readonly offset: number;
  }

  /** Writes the body durably and verifies it; never a byte more than the part has. */
  async function receivePart({ writer, place, body, path, flags, offset }: Receiving): Promise<void> {
    const sink = createSink({ path, flags, offset, buffers });
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
  rival.writer.stop(
    new AppError("CONFLICT", "Another transfer of the same part took its place. Ask which parts have arrived, and send what is missing."),
  );
  await rival.writer.quiet;
}

async function makeSideFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") await fromDisk(Promise.reject(error));
  }
}
