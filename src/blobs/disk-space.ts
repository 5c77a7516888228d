import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { fromDisk, storageFull, storageTaken, unlessMissing } from "./disk-errors.ts";
import { createPromisedBytes } from "./promised-bytes.ts";
import { type BlobKey, isBlobKey, type OpenUpload, type SpaceGroup } from "./store.ts";
import { uploadClosed } from "./store-errors.ts";

/** Keeps uploads from filling the disk: the bytes that they announced count as used before they are written. */
export interface DiskSpace {
  /** Promises bytes to an upload; STORAGE_FULL where that would leave too little, or pass the share of its groups. */
  promise(key: BlobKey, promise: UploadPromise): Promise<void>;
  /** Ends a promise, kept or not. */
  release(key: BlobKey): void;
  /** How many bytes an upload may write at present. */
  promisedBytes(key: BlobKey): number;
  /** Promises more to an upload that has grown to `sizeBytes`. Throws as `promise` does; UPLOAD_CLOSED where it has no promise. */
  growTo(key: BlobKey, sizeBytes: number): Promise<void>;
  /** Promises bytes of a file beside an upload, on account of its groups; call the result once the file has gone. Throws as `promise` does. */
  promiseBeside(key: BlobKey, path: string, sizeBytes: number): Promise<() => void>;
  /**
   * Call it before a part is written, and the result afterwards. An upload that has idled, and whose promise was given back since, is promised
   * the rest of its bytes again: STORAGE_FULL where they do not fit, UPLOAD_CLOSED where the upload ends meanwhile.
   */
  enter(key: BlobKey): Promise<() => void>;
  freeBytes(): Promise<number>;
}

export interface UploadPromise {
  readonly sizeBytes: number;
  readonly groups: readonly SpaceGroup[];
  /** It outlives this process, and may idle. */
  readonly inParts: boolean;
}

export interface DiskSpaceOptions {
  readonly folder: string;
  readonly minFreeBytes: number;
  /** The uploads that can still be continued. Without it, every staged file is one, of no group. */
  readonly listOpen?: (() => Promise<ReadonlyMap<BlobKey, OpenUpload>>) | undefined;
  readonly now?: (() => number) | undefined;
}

/** An upload that has received nothing for so long does not keep others from the room that it was promised. */
export const PROMISE_IDLE_MS = 10 * 60_000;

/** How long a look at the disk serves, while there is plenty. */
const FRESH_MS = 250;

interface Claim {
  /** The file that its bytes are written to. */
  readonly path: string;
  readonly groups: readonly SpaceGroup[];
  readonly kind: "parts" | "whole" | "beside";
  sizeBytes: number;
  /** Promised and not yet written when last counted, so never too few; 0 where it was given back. */
  unwrittenBytes: number;
  writers: number;
  /** When it last had a writer, as far as this process knows. */
  activeAtMs: number;
  isGivenBack: boolean;
  resuming?: Promise<void> | undefined;
}

export function createDiskSpace({ folder, minFreeBytes, listOpen, now = Date.now }: DiskSpaceOptions): DiskSpace {
  const claims = new Map<BlobKey, Claim>();
  const beside = new Set<Claim>();
  const promised = createPromisedBytes();
  let isCounted = false;
  let seen = { freeBytes: 0, at: Number.NEGATIVE_INFINITY };
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await fromDisk(statfs(folder));
    seen = { freeBytes: bavail * bsize, at: performance.now() };
    return seen.freeBytes;
  }

  function setUnwritten(claim: Claim, bytes: number): void {
    promised.add(claim.groups, bytes - claim.unwrittenBytes);
    claim.unwrittenBytes = bytes;
  }

  function newClaim(claim: Pick<Claim, "path" | "groups" | "kind" | "sizeBytes">): Claim {
    // Where uploads are listed, the list says when the last byte came.
    const made = { ...claim, unwrittenBytes: 0, writers: 0, activeAtMs: listOpen ? 0 : now(), isGivenBack: false };
    setUnwritten(made, claim.sizeBytes);
    return made;
  }

  function drop(key: BlobKey): void {
    const claim = claims.get(key);
    if (!claim) return;
    setUnwritten(claim, 0);
    claims.delete(key);
  }

  function release(key: BlobKey): void {
    // As if all of it had been written since the last look at the disk.
    seen.freeBytes -= claims.get(key)?.unwrittenBytes ?? 0;
    drop(key);
  }

  const writtenTo = async (path: string): Promise<number> => ((await unlessMissing(stat(path)))?.blocks ?? 0) * 512;

  /**
   * Counts exactly what is promised and not yet written, by whichever process, and gives back what idle uploads were promised: a look at each
   * staged file. The free bytes are asked for last, so that what is written meanwhile counts twice rather than not at all.
   */
  async function recount(): Promise<void> {
    const before = new Set(claims.keys());
    const found = new Map<BlobKey, { readonly sizeBytes: number; readonly writtenBytes: number }>();
    for (const name of (await fromDisk(readdir(folder))).filter(isBlobKey)) {
      const info = await unlessMissing(stat(join(folder, name)));
      if (info) found.set(name, { sizeBytes: info.size, writtenBytes: info.blocks * 512 });
    }
    const besideBytes = new Map<Claim, number>();
    for (const claim of beside) besideBytes.set(claim, await writtenTo(claim.path));
    const open = await listOpen?.();
    await freeBytes();

    // Begun here after the look at the files, or ended since: what the list and the files say of those is not true any more.
    for (const key of before) if (open && !open.has(key)) drop(key);
    for (const [key, { sizeBytes }] of found) {
      if (before.has(key) || claims.has(key) || (open && !open.has(key))) continue;
      const groups = open?.get(key)?.groups ?? [];
      claims.set(key, newClaim({ path: join(folder, key), groups, kind: "parts", sizeBytes }));
    }
    for (const [key, claim] of claims) {
      claim.isGivenBack ||= isIdle(claim, open?.get(key));
      const unwritten = Math.max(0, claim.sizeBytes - (found.get(key)?.writtenBytes ?? 0));
      setUnwritten(claim, claim.isGivenBack ? 0 : unwritten);
    }
    for (const [claim, bytes] of besideBytes) if (beside.has(claim)) setUnwritten(claim, Math.max(0, claim.sizeBytes - bytes));
    isCounted = true;
  }

  function isIdle({ kind, writers, activeAtMs }: Claim, open: OpenUpload | undefined): boolean {
    // One that the list lacks has begun since it was read.
    if (listOpen && !open) return false;
    return kind === "parts" && writers === 0 && now() - Math.max(activeAtMs, open?.lastByteAtMs ?? 0) >= PROMISE_IDLE_MS;
  }

  /** A count that begins after the call; those who ask while one runs share the next. */
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

  /** Calls `take` where so many more bytes fit. */
  async function claimRoom(groups: readonly SpaceGroup[], moreBytes: number, take: () => void): Promise<void> {
    if (performance.now() - seen.at > FRESH_MS) await freeBytes();
    const refusal = () => promised.refuses(groups, { moreBytes, roomBytes: seen.freeBytes - minFreeBytes });
    // Bytes that are promised and written count twice here: so plenty is plenty indeed.
    if (isCounted && !refusal()) return take();
    await freshCount();
    const refused = refusal();
    if (refused) throw refused === "disk" ? storageFull() : storageTaken();
    take();
  }

  async function resume(key: BlobKey, claim: Claim): Promise<void> {
    const unwritten = Math.max(0, claim.sizeBytes - (await writtenTo(claim.path)));
    const take = () => {
      if (claims.get(key) !== claim) throw uploadClosed();
      claim.isGivenBack = false;
      claim.activeAtMs = now();
      setUnwritten(claim, unwritten);
    };
    if (unwritten === 0) take();
    else await claimRoom(claim.groups, unwritten, take);
  }

  return {
    async promise(key, { sizeBytes, groups, inParts }) {
      release(key);
      const kind = inParts ? "parts" : "whole";
      await claimRoom(groups, sizeBytes, () => claims.set(key, newClaim({ path: join(folder, key), groups, kind, sizeBytes })));
    },
    release,
    promisedBytes: (key) => claims.get(key)?.sizeBytes ?? 0,
    async growTo(key, sizeBytes) {
      const claim = claims.get(key);
      if (!claim) throw uploadClosed();
      const moreBytes = sizeBytes - claim.sizeBytes;
      if (moreBytes <= 0) return;
      await claimRoom(claim.groups, moreBytes, () => {
        if (claims.get(key) !== claim) throw uploadClosed();
        claim.sizeBytes += moreBytes;
        setUnwritten(claim, claim.unwrittenBytes + moreBytes);
      });
    },
    async promiseBeside(key, path, sizeBytes) {
      const groups = claims.get(key)?.groups ?? [];
      let claim: Claim | undefined;
      await claimRoom(groups, sizeBytes, () => {
        claim = newClaim({ path, groups, kind: "beside", sizeBytes });
        beside.add(claim);
      });
      return () => {
        if (!claim || !beside.delete(claim)) return;
        setUnwritten(claim, 0);
      };
    },
    async enter(key) {
      if (!isCounted) await freshCount();
      const claim = claims.get(key);
      if (!claim) return () => undefined;
      if (claim.isGivenBack) {
        claim.resuming ??= resume(key, claim).finally(() => {
          claim.resuming = undefined;
        });
        await claim.resuming;
      }
      claim.writers += 1;
      return () => {
        claim.writers -= 1;
        claim.activeAtMs = now();
      };
    },
    freeBytes,
  };
}
