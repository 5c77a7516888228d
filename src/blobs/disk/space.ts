import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { uploadClosed } from "../blob-errors.ts";
import { createReservedBytes } from "../reserved-bytes.ts";
import { type BlobKey, isBlobKey, type OpenUpload, type SpaceGroup } from "../store.ts";
import { fromDisk, storageReserved, tooLittleSpace, unlessMissing } from "./errors.ts";

/** Prevents uploads from filling the disk: their bytes count as used once reserved, before they are written. */
export interface DiskSpace {
  /** Reserves bytes for an upload. Throws STORAGE_FULL if too little would be left, or its groups would exceed their fraction. */
  reserve(key: BlobKey, input: ReservationInput): Promise<void>;
  /** Ends a reservation, used or not. */
  release(key: BlobKey): void;
  /** The bytes reserved for an upload. */
  reservedBytes(key: BlobKey): number;
  /** Extends the reservation of an upload to `sizeBytes`. Throws as `reserve` does; UPLOAD_CLOSED if it has no reservation. */
  growTo(key: BlobKey, sizeBytes: number): Promise<void>;
  /** Reserves bytes for a side file of an upload, in its groups. The caller calls the result once the file is removed. Throws as `reserve` does. */
  reserveSideFileSpace(key: BlobKey, path: string, sizeBytes: number): Promise<() => void>;
  /**
   * Marks the start of writing a part; the caller calls the result at its end. Reserves the rest of the upload's bytes again if the idle upload's
   * reservation was released: throws STORAGE_FULL if they do not fit, UPLOAD_CLOSED if the upload ends meanwhile.
   */
  enter(key: BlobKey): Promise<() => void>;
  freeBytes(): Promise<number>;
  /** Returns the number of files that fit on the file system; undefined if it has no limit. */
  freeInodes(): Promise<number | undefined>;
}

export interface ReservationInput {
  readonly sizeBytes: number;
  readonly groups: readonly SpaceGroup[];
  /** Whether the upload outlives this process and may become idle. */
  readonly isInParts: boolean;
}

export interface DiskSpaceOptions {
  readonly folder: string;
  readonly minFreeBytes: number;
  /** Lists the uploads that can still be continued. By default, every staged file counts as one, without groups. */
  readonly listOpen?: (() => Promise<ReadonlyMap<BlobKey, OpenUpload>>) | undefined;
  readonly now?: (() => number) | undefined;
}

/** Time without a byte after which an upload's reservation is released to others. */
export const RESERVATION_IDLE_TIMEOUT_MS = 10 * 60_000;

/** Maximum age of a reading of the free space while plenty is left. */
const FREE_BYTES_MAX_AGE_MS = 250;

interface Reservation {
  /** The file of the upload's bytes. */
  readonly path: string;
  readonly groups: readonly SpaceGroup[];
  readonly kind: "parts" | "direct" | "side-file";
  sizeBytes: number;
  /** Number of reserved bytes that were not written at the last count, so never too low; 0 once released. */
  unwrittenBytes: number;
  transfers: number;
  /** Time of the last transfer in this process. */
  activeAtMs: number;
  isReleased: boolean;
  resuming?: Promise<void> | undefined;
}

export function createDiskSpace({ folder, minFreeBytes, listOpen, now = Date.now }: DiskSpaceOptions): DiskSpace {
  const reservations = new Map<BlobKey, Reservation>();
  const sideFiles = new Set<Reservation>();
  const reserved = createReservedBytes();
  let isCounted = false;
  let lastReading = { freeBytes: 0, at: Number.NEGATIVE_INFINITY };
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await fromDisk(statfs(folder));
    lastReading = { freeBytes: bavail * bsize, at: performance.now() };
    return lastReading.freeBytes;
  }

  async function freeInodes(): Promise<number | undefined> {
    const { files, ffree } = await fromDisk(statfs(folder));
    return files > 0 ? ffree : undefined;
  }

  function setUnwritten(reservation: Reservation, bytes: number): void {
    reserved.add(reservation.groups, bytes - reservation.unwrittenBytes);
    reservation.unwrittenBytes = bytes;
  }

  function newReservation(reservation: Pick<Reservation, "path" | "groups" | "kind" | "sizeBytes">): Reservation {
    // If uploads are listed, the list has the time of the last byte.
    const made = { ...reservation, unwrittenBytes: 0, transfers: 0, activeAtMs: listOpen ? 0 : now(), isReleased: false };
    setUnwritten(made, reservation.sizeBytes);
    return made;
  }

  function drop(key: BlobKey): void {
    const reservation = reservations.get(key);
    if (!reservation) return;
    setUnwritten(reservation, 0);
    reservations.delete(key);
  }

  function release(key: BlobKey): void {
    // Assumes that all reserved bytes were written since the last reading of the free space.
    lastReading.freeBytes -= reservations.get(key)?.unwrittenBytes ?? 0;
    drop(key);
  }

  const writtenTo = async (path: string): Promise<number> => ((await unlessMissing(stat(path)))?.blocks ?? 0) * 512;

  /**
   * Counts exactly the bytes that are reserved and not yet written, by any process, and releases the reservations of idle uploads. Reads the free
   * space last, so that bytes written meanwhile count twice and not never.
   */
  async function recount(): Promise<void> {
    const before = new Set(reservations.keys());
    const found = new Map<BlobKey, { readonly sizeBytes: number; readonly writtenBytes: number }>();
    for (const name of (await fromDisk(readdir(folder))).filter(isBlobKey)) {
      const info = await unlessMissing(stat(join(folder, name)));
      if (info) found.set(name, { sizeBytes: info.size, writtenBytes: info.blocks * 512 });
    }
    const sideFileBytes = new Map<Reservation, number>();
    for (const reservation of sideFiles) sideFileBytes.set(reservation, await writtenTo(reservation.path));
    const open = await listOpen?.();
    await freeBytes();

    // For uploads that began or ended meanwhile, the list and the files are outdated.
    for (const key of before) if (open && !open.has(key)) drop(key);
    for (const [key, { sizeBytes }] of found) {
      if (before.has(key) || reservations.has(key) || (open && !open.has(key))) continue;
      const groups = open?.get(key)?.groups ?? [];
      reservations.set(key, newReservation({ path: join(folder, key), groups, kind: "parts", sizeBytes }));
    }
    for (const [key, reservation] of reservations) {
      reservation.isReleased ||= isIdle(reservation, open?.get(key));
      const unwritten = Math.max(0, reservation.sizeBytes - (found.get(key)?.writtenBytes ?? 0));
      setUnwritten(reservation, reservation.isReleased ? 0 : unwritten);
    }
    for (const [reservation, bytes] of sideFileBytes)
      if (sideFiles.has(reservation)) setUnwritten(reservation, Math.max(0, reservation.sizeBytes - bytes));
    isCounted = true;
  }

  function isIdle({ kind, transfers, activeAtMs }: Reservation, open: OpenUpload | undefined): boolean {
    // An upload missing from the list began after it was read.
    if (listOpen && !open) return false;
    return kind === "parts" && transfers === 0 && now() - Math.max(activeAtMs, open?.lastByteAtMs ?? 0) >= RESERVATION_IDLE_TIMEOUT_MS;
  }

  /** Counts again. Calls during a count share the next one. */
  function freshCount(): Promise<void> {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = recount();
        return running;
      });
    return next;
  }

  /** Calls `take` if `moreBytes` fit; otherwise throws STORAGE_FULL. */
  async function takeSpace(groups: readonly SpaceGroup[], moreBytes: number, take: () => void): Promise<void> {
    if (performance.now() - lastReading.at > FREE_BYTES_MAX_AGE_MS) await freeBytes();
    const refusal = () => reserved.checkLimit(groups, { moreBytes, roomBytes: lastReading.freeBytes - minFreeBytes });
    // Reserved bytes that were written count twice in this check, so that enough space is certain.
    if (isCounted && !refusal()) return take();
    await freshCount();
    const refused = refusal();
    if (refused === "group") throw storageReserved();
    if (refused) throw tooLittleSpace(moreBytes, lastReading.freeBytes - minFreeBytes - reserved.totalBytes);
    take();
  }

  async function resume(key: BlobKey, reservation: Reservation): Promise<void> {
    const unwritten = Math.max(0, reservation.sizeBytes - (await writtenTo(reservation.path)));
    const take = () => {
      if (reservations.get(key) !== reservation) throw uploadClosed();
      reservation.isReleased = false;
      reservation.activeAtMs = now();
      setUnwritten(reservation, unwritten);
    };
    if (unwritten === 0) take();
    else await takeSpace(reservation.groups, unwritten, take);
  }

  return {
    async reserve(key, { sizeBytes, groups, isInParts }) {
      release(key);
      const kind = isInParts ? "parts" : "direct";
      await takeSpace(groups, sizeBytes, () => reservations.set(key, newReservation({ path: join(folder, key), groups, kind, sizeBytes })));
    },
    release,
    reservedBytes: (key) => reservations.get(key)?.sizeBytes ?? 0,
    async growTo(key, sizeBytes) {
      const reservation = reservations.get(key);
      if (!reservation) throw uploadClosed();
      const moreBytes = sizeBytes - reservation.sizeBytes;
      if (moreBytes <= 0) return;
      await takeSpace(reservation.groups, moreBytes, () => {
        if (reservations.get(key) !== reservation) throw uploadClosed();
        reservation.sizeBytes += moreBytes;
        setUnwritten(reservation, reservation.unwrittenBytes + moreBytes);
      });
    },
    async reserveSideFileSpace(key, path, sizeBytes) {
      const groups = reservations.get(key)?.groups ?? [];
      let reservation: Reservation | undefined;
      await takeSpace(groups, sizeBytes, () => {
        reservation = newReservation({ path, groups, kind: "side-file", sizeBytes });
        sideFiles.add(reservation);
      });
      return () => {
        if (!reservation || !sideFiles.delete(reservation)) return;
        setUnwritten(reservation, 0);
      };
    },
    async enter(key) {
      if (!isCounted) await freshCount();
      const reservation = reservations.get(key);
      if (!reservation) return () => undefined;
      if (reservation.isReleased) {
        reservation.resuming ??= resume(key, reservation).finally(() => {
          reservation.resuming = undefined;
        });
        await reservation.resuming;
      }
      reservation.transfers += 1;
      return () => {
        reservation.transfers -= 1;
        reservation.activeAtMs = now();
      };
    },
    freeBytes,
    freeInodes,
  };
}
