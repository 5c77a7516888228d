import type { ChunkMemory } from "../chunk-memory.ts";

/** A blob's name, made by the server: 32 lowercase hexadecimal digits. */
export type BlobKey = string;

/** Whether a name found in a store is a blob's, so one that the server made. */
export const isBlobKey = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

/** Half-open: the first byte, and the one after the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ReadOptions {
  readonly range?: ByteRange | undefined;
  /** Where chunks may be put, instead of fresh memory for each: then a chunk lasts until the next one is asked for. */
  readonly memory?: ChunkMemory | undefined;
}

/** Bytes under way: not visible, and reachable only by this pair until `commit`. */
export interface StagedBlob {
  readonly key: BlobKey;
  /** What the store needs to find them again (S3: the multipart upload's id); kept in the session's row. */
  readonly ref: string;
}

export interface PartPlace {
  readonly partNumber: number;
  /** First byte of the part in the whole. */
  readonly offset: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether a verified part of that number is already there: it must stay whole until the new one has been verified. */
  readonly arrived: boolean;
  /**
   * Takes back the record of the part that had arrived. Awaited, under the part's lock, just before its bytes are altered, so that a crash
   * or a full disk in the middle leaves no record of bytes that are neither the old part nor the new. Not called where the bytes are the same.
   */
  readonly onReplace?: () => Promise<void>;
}

/** Uploads that share a bound: what they are promised may take this share (0 to 1) of the free disk, or of the memory, that others have left. */
export interface SpaceGroup {
  readonly name: string;
  readonly share: number;
}

/** What the rows say of an upload that can still be continued. */
export interface OpenUpload {
  readonly groups: readonly SpaceGroup[];
  readonly lastByteAtMs: number;
}

export interface StageOptions {
  /** On whose account its bytes are promised, the widest group first; a store without a bound ignores them. */
  readonly groups?: readonly SpaceGroup[];
  /** On whose account the memory counts that it holds, the widest group first; a store that holds none ignores them. */
  readonly memoryGroups?: readonly SpaceGroup[];
  /** `writeAll` alone will follow, no parts: then nothing is made yet, and `ref` is empty. */
  readonly whole?: boolean;
  /** `presignParts` may follow. */
  readonly openToSenders?: boolean;
}

/** A part that an address of the store is for. */
export interface PresignedPart {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A part that is in the store. */
export interface ArrivedPart {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly etag: string;
  /** Where the store itself has held the bytes against it. */
  readonly sha256: string | undefined;
  readonly arrivedAtMs: number;
}

export interface CommittedPart {
  readonly partNumber: number;
  readonly etag: string;
  /** Some stores want it again. */
  readonly sha256?: string;
}

/** What `BlobStore.learn` found, as a sentence for the log. */
export interface LearntOfStore {
  readonly isAsWished: boolean;
  readonly text: string;
}

export interface WrittenPart {
  readonly etag: string;
}

export interface BlobInfo {
  readonly key: BlobKey;
  readonly sizeBytes: number;
}

export interface BlobPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** How the store presents bytes that it sends itself; always as not to be stored. */
export interface PresignedRead {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** Where bytes end up after a verdict: served, or kept aside. */
export type BlobArea = "visible" | "quarantine";

/** A file by its path, and the folder that it lies in. */
export interface Stranger {
  readonly path: string;
  readonly where: BlobArea | "staging";
}

/**
 * Where bytes live. All methods reject with AppError UNAVAILABLE where the store cannot be reached, and with STORAGE_FULL where it has
 * no room; what a method that rejects has written is gone, or goes with `discard`. Shared test suite: `test/blobs/store-suite.ts`.
 */
export interface BlobStore {
  readonly kind: "disk" | "s3";
  /** How small a part may be that is not the last; any size where absent. */
  readonly minPartBytes?: number;

  /** Whether a blob staged for parts can be one of this kind of store's: they outlive a change of `FILEHOST_STORAGE`, and their bytes stay behind. */
  isOwn(staged: StagedBlob): boolean;

  /**
   * Makes room for `sizeBytes` (undefined: not known yet, and then only `writeAll` can follow).
   * STORAGE_FULL where that would leave less than the configured free space, or pass the share of the upload's groups.
   */
  stage(key: BlobKey, sizeBytes: number | undefined, options?: StageOptions): Promise<StagedBlob>;

  /**
   * Writes the whole content in order, in constant memory; not visible yet, and durable by `commit` at the latest. In the process that staged it.
   * Rejects with what `body` throws; with UPLOAD_CLOSED when `commit` or `discard` comes in between. What it had written is gone then.
   */
  writeAll(staged: StagedBlob, body: AsyncIterable<Uint8Array>): Promise<{ sizeBytes: number }>;

  /**
   * Writes one part, durable when it resolves, in constant memory; several at once are fine, also of the same number.
   * SIZE_MISMATCH or DIGEST_MISMATCH where `body` is not `place.sizeBytes` bytes with that digest: then a part that had arrived is untouched.
   * CONFLICT where another transfer of the part was whole sooner, or a newer one took over from it; UPLOAD_CLOSED after, or as soon as, the
   * blob is committed or discarded; STORAGE_FULL where its bytes, or those of an upload that had idled, have no room.
   * `onPlaced` runs once, when the bytes are durable and nobody else may touch the part; it records the arrival (an upsert). The part's
   * lock is held meanwhile: no call of this store for the same upload may be waited for in it.
   */
  writePart(
    staged: StagedBlob,
    place: PartPlace,
    body: AsyncIterable<Uint8Array>,
    onPlaced: (part: WrittenPart) => Promise<void>,
  ): Promise<WrittenPart>;

  /**
   * Addresses of the store itself, in the order of `parts`, each of which takes that part from whoever has it, as often as it is sent and
   * until the upload is committed or discarded: its size and its digest are certain where the store looks at them. Undefined where parts of this
   * upload are to pass through this server at present; absent where all always do.
   */
  presignParts?(staged: StagedBlob, parts: readonly PresignedPart[], validMs: number): Promise<readonly string[] | undefined>;

  /** The parts that are there, by whichever way they came, in order; undefined where the upload was committed or discarded. Absent where no part comes but by `writePart`. */
  listParts?(staged: StagedBlob): Promise<readonly ArrivedPart[] | undefined>;

  /**
   * Finds out, in the background, what it depends on how parts travel; resolves when that is known, or with undefined when `signal` fires.
   * `onTrouble` hears of the first try that came to nothing.
   */
  learn?(signal: AbortSignal, onTrouble: (error: unknown) => void): Promise<LearntOfStore | undefined>;

  /**
   * Makes the staged bytes visible under their key, durably, and out of reach for whoever has an address of a part. Nothing is copied, but
   * where the store would take parts even then. Calling it again is fine; NOT_FOUND where there is nothing.
   * `parts`, in order, for a blob written in parts. Stops and waits for writers that are still under way, as `discard` does, so call
   * neither inside a transaction that an `onPlaced` might wait for.
   */
  commit(staged: StagedBlob, parts?: readonly CommittedPart[]): Promise<void>;

  /** Forgets staged bytes, and what `commit` may have made of them already. Fine where there are none. */
  discard(staged: StagedBlob): Promise<void>;

  /** The bytes in order; NOT_FOUND, at the first step, where there are none; UNAVAILABLE where they end before the range. Ending early frees what it holds. */
  read(key: BlobKey, options?: ReadOptions & { area?: BlobArea }): AsyncIterable<Uint8Array>;

  /** A path of the local file system that holds the whole visible blob, where there is one: for sendfile. */
  localPath(key: BlobKey): string | undefined;

  /**
   * An address of the store itself that gives the whole visible blob, or a range of it, to whoever has it, for a minute. Absent where bytes
   * are to pass through this server.
   */
  presignRead?(key: BlobKey, shown: PresignedRead): Promise<string>;

  /** The origins that such addresses may have, for the rules that pages give to browsers. */
  readonly readOrigins?: readonly string[];
  /** The same of `presignParts`. */
  readonly writeOrigins?: readonly string[];

  size(key: BlobKey, area?: BlobArea): Promise<number | undefined>;

  /** Gone from both areas when it resolves. Fine where there is nothing. */
  remove(key: BlobKey): Promise<void>;

  /** From visible into quarantine; fine where it is there already, NOT_FOUND where it is nowhere. */
  quarantine(key: BlobKey): Promise<void>;
  /** Back from quarantine; NOT_FOUND where it is not there. */
  restore(key: BlobKey): Promise<void>;

  /** The blobs of an area, in the order of their keys, page by page (1000 at most); `after` is the last page's `next`. */
  list(area: BlobArea, after?: string): Promise<BlobPage<BlobInfo>>;
  /** Staged bytes of any age, page by page. */
  listStaged(after?: string): Promise<BlobPage<StagedBlob>>;

  /**
   * Files among its own that none of its blobs can be: what a hand or another program left. Absent where others may keep theirs beside.
   * `removeStranger` takes what it found.
   */
  listStrangers?(): AsyncIterable<Stranger>;
  removeStranger?(stranger: Stranger): Promise<void>;

  /** Rejects where the store does not work; resolves with the bytes left, undefined where there is no such limit. */
  check(): Promise<{ freeBytes: number | undefined }>;
}
