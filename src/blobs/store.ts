import type { Span } from "../lib/http/range.ts";
import type { ChunkMemory } from "../lib/system/chunk-memory.ts";
import type { StoreMarks } from "./store-marks.ts";

/**
 * A blob's name, chosen by the server: 32 lowercase hexadecimal digits, and after them an `r` for the reduced image of that blob, or a `t` for its
 * thumbnail.
 */
export type BlobKey = string;

/** Returns whether a name found in a store can be a blob's. */
export const isBlobKey = (name: string): boolean => /^[0-9a-f]{32}[rt]?$/.test(name);

/** Returns the key of a blob's reduced image, which follows the blob's key directly in the order of keys. */
export const reducedKey = (key: BlobKey): BlobKey => `${key}r`;

/** Returns the key of a blob's thumbnail, which follows the keys of the blob and of its reduced image directly. */
export const thumbnailKey = (key: BlobKey): BlobKey => `${key}t`;

/** Returns the key of the file's blob, for the blob's key and for the keys of its images. */
export const fileBlobKey = (key: BlobKey): BlobKey => key.slice(0, 32);

export interface ReadOptions {
  readonly range?: Span | undefined;
  /** Memory to reuse for chunks. A chunk is then valid until the next one is requested. */
  readonly memory?: ChunkMemory | undefined;
}

/** Bytes that are not committed yet: invisible, and accessible only by this pair. */
export interface StagedBlob {
  readonly key: BlobKey;
  /** The reference by which the store finds the bytes again (S3: the multipart upload's ID). It is stored in the session's row. */
  readonly ref: string;
}

export interface PartInput {
  readonly partNumber: number;
  /** The offset of the part's first byte in the file. */
  readonly offset: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether a verified part of this number is stored, which must stay intact until the new one is verified. */
  readonly isUploaded: boolean;
  /**
   * Deletes the record of the stored part. Awaited under the part's lock just before its bytes change, so that a crash or a full disk
   * leaves no record of bytes that are neither the old part nor the new one. Not called if the bytes are the same.
   */
  readonly onReplace?: () => Promise<void>;
}

/** Uploads that share a limit: together they may reserve this fraction (0 to 1) of the free disk, or of the memory, that others have left. */
export interface SpaceGroup {
  readonly name: string;
  readonly fraction: number;
}

/** An upload that can still be continued, according to the database. */
export interface OpenUpload {
  readonly groups: readonly SpaceGroup[];
  readonly lastByteAtMs: number;
}

export interface StageOptions {
  /** Groups whose fractions limit the reserved disk space, widest group first. Ignored by stores without a limit. */
  readonly groups?: readonly SpaceGroup[];
  /** Groups whose fractions limit the memory used, widest group first. Ignored by stores that buffer nothing. */
  readonly memoryGroups?: readonly SpaceGroup[];
  /** Whether the upload is direct, so that only `writeAll` follows. The store creates nothing yet, and `ref` is empty. */
  readonly isDirect?: boolean;
  /** Whether `presignParts` may follow. */
  readonly allowsPresigned?: boolean;
}

/** A part to presign a URL for. */
export interface PresignedPart {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A part in the store. */
export interface UploadedPart {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly etag: string;
  /** The SHA-256; undefined unless the store itself has verified it. */
  readonly sha256: string | undefined;
  readonly uploadedAtMs: number;
}

export interface CommittedPart {
  readonly partNumber: number;
  readonly etag: string;
  /** The part's digest, which some stores require again. */
  readonly sha256?: string;
}

/** The capabilities that `detectCapabilities` found. `text` is a sentence for the log. */
export interface StoreCapabilities {
  readonly matchesSetting: boolean;
  readonly text: string;
}

export interface WrittenPart {
  readonly etag: string;
}

/** An open staged blob. It can be read until `close`, also after the blob was committed or discarded. */
export interface StagedReader {
  /** Yields the bytes of `range` in order, which must be written. */
  read(options: ReadOptions & { readonly range: Span }): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface BlobInfo {
  readonly key: BlobKey;
  readonly sizeBytes: number;
}

export interface BlobPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** The headers with which the store sends the bytes itself, always with `Cache-Control: no-store`. */
export interface PresignedRead {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** The area of scanned bytes: visible, which is served to recipients, or quarantine. */
export type BlobArea = "visible" | "quarantine";

/** A file that no blob can have, and the area of the folder it is in. */
export interface UnknownFile {
  readonly path: string;
  readonly area: BlobArea | "staging";
}

/**
 * A place to store bytes. All methods reject with AppError UNAVAILABLE if the store cannot be reached, and with STORAGE_FULL if it is full. Bytes of
 * a rejected call are removed, by the call or by `discard`. Shared test suite: `test/blobs/store-suite.ts`.
 */
export interface BlobStore {
  readonly kind: "disk" | "s3";
  /** The minimum size of every part except the last; undefined if there is none. */
  readonly minPartBytes?: number;
  /** Small texts beside the blobs, which name the store's database. */
  readonly marks: StoreMarks;

  /**
   * Returns whether this kind of store can have staged the blob. Sessions outlive a change of `FILEHOST_STORAGE`, but their bytes stay in the former
   * store.
   */
  isOwn(staged: StagedBlob): boolean;

  /**
   * Stages a blob and reserves `sizeBytes`; if undefined (size unknown), only `writeAll` may follow. STORAGE_FULL if less than the
   * configured free space, or more than the fraction of the upload's groups, would be used.
   */
  stage(key: BlobKey, sizeBytes: number | undefined, options?: StageOptions): Promise<StagedBlob>;

  /**
   * Writes the whole content in constant memory, in the process that staged it. It is invisible until `commit`, and durable by then at the latest.
   * Rejects with the errors of `body`, and with UPLOAD_CLOSED if `commit` or `discard` is called meanwhile; the written bytes are then removed.
   */
  writeAll(staged: StagedBlob, body: AsyncIterable<Uint8Array>): Promise<{ sizeBytes: number }>;

  /**
   * Writes one part, durable when it resolves, in constant memory. Several calls may run concurrently, also for the same part.
   * SIZE_MISMATCH or DIGEST_MISMATCH if `body` is not `part.sizeBytes` bytes with that digest; a stored part is then untouched. CONFLICT if
   * another transfer of the part finished earlier or a newer one replaced it. UPLOAD_CLOSED once the blob is committed or discarded.
   * STORAGE_FULL if there is no space for its bytes, or no longer for those of an upload that was idle.
   * `onWritten` runs once the bytes are durable and records the part (an upsert). It holds the part's lock: it must not await another call
   * for the same upload.
   */
  writePart(
    staged: StagedBlob,
    part: PartInput,
    body: AsyncIterable<Uint8Array>,
    onWritten: (written: WrittenPart) => Promise<void>,
  ): Promise<WrittenPart>;

  /**
   * URLs of the store, in the order of `parts`. Each accepts that part any number of times until the upload is committed or discarded; the
   * store may or may not enforce its size and digest. Undefined if parts of this upload must currently pass through the server; absent if
   * they always must.
   */
  presignParts?(staged: StagedBlob, parts: readonly PresignedPart[], validMs: number): Promise<readonly string[] | undefined>;

  /** Lists the stored parts, in order; undefined if the upload was committed or discarded. Missing if parts are only written by `writePart`. */
  listParts?(staged: StagedBlob): Promise<readonly UploadedPart[] | undefined>;

  /**
   * Detects, in the background, how parts can be uploaded. Resolves once that is known, or with undefined when `signal` fires. Calls
   * `onError` for the first failed attempt.
   */
  detectCapabilities?(signal: AbortSignal, onError: (error: unknown) => void): Promise<StoreCapabilities | undefined>;

  /**
   * Makes the staged bytes visible under their key, durably, and unreachable by presigned part URLs. Copies nothing, unless the store would
   * accept parts even afterwards. May be repeated. NOT_FOUND if nothing is staged.
   * `parts`, in order, for a blob written in parts. Stops running transfers and waits for them, as `discard` does: call neither inside a
   * transaction that an `onWritten` might wait for.
   */
  commit(staged: StagedBlob, parts?: readonly CommittedPart[]): Promise<void>;

  /** Removes staged bytes, and what `commit` may have made of them. Does nothing if there are none. */
  discard(staged: StagedBlob): Promise<void>;

  /** Opens a staged blob for reading. NOT_FOUND if nothing is staged. Missing if staged bytes cannot be read. */
  openStaged?(staged: StagedBlob): Promise<StagedReader>;

  /**
   * Yields the bytes in order. Throws NOT_FOUND on the first step if there is no blob, UNAVAILABLE if the blob is shorter than the range. Ending the
   * iteration early releases its resources.
   */
  read(key: BlobKey, options?: ReadOptions & { area?: BlobArea }): AsyncIterable<Uint8Array>;

  /** Returns the path of the visible blob in the local file system, for sendfile; undefined if there is none. */
  localPath(key: BlobKey): string | undefined;

  /**
   * Returns a URL of the store from which the visible blob, or a range of it, can be downloaded for a minute. Missing if downloads must pass through
   * this server.
   */
  presignRead?(key: BlobKey, shown: PresignedRead): Promise<string>;

  /** The possible origins of these URLs, for Content-Security-Policy. */
  readonly readOrigins?: readonly string[];
  /** The possible origins of the URLs of `presignParts`, for Content-Security-Policy. */
  readonly writeOrigins?: readonly string[];

  size(key: BlobKey, area?: BlobArea): Promise<number | undefined>;

  /** Removes the blob from both areas, if there is one. */
  remove(key: BlobKey): Promise<void>;

  /** Moves the blob from visible to quarantine. Does nothing if it is already there; NOT_FOUND if it does not exist. */
  quarantine(key: BlobKey): Promise<void>;
  /** Moves the blob back to visible. Does nothing if it is already there; NOT_FOUND if it does not exist. */
  restore(key: BlobKey): Promise<void>;

  /** Lists the blobs of an area in the order of their keys, at most 1000 per page. `after` is the `next` of the previous page. */
  list(area: BlobArea, after?: string): Promise<BlobPage<BlobInfo>>;
  /** Lists staged blobs of any age, page by page. */
  listStaged(after?: string): Promise<BlobPage<StagedBlob>>;

  /** Lists unknown files: files in the store's folders that no blob can have. Missing if the store may contain other files. */
  listUnknownFiles?(): AsyncIterable<UnknownFile>;
  removeUnknownFile?(file: UnknownFile): Promise<void>;

  /** Reads the store's clock, in milliseconds since 1970; undefined if the store does not report it. Missing if it has none. */
  readTime?(): Promise<number | undefined>;

  /** Rejects if the store does not work. Resolves with the free bytes and inodes; undefined if there is no such limit. */
  check(): Promise<{ readonly freeBytes: number | undefined; readonly freeInodes: number | undefined }>;
}
