import { createHash } from "node:crypto";
import type { BlobArea, BlobStore, StagedBlob } from "../../../blobs/store.ts";
import type { Db } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import type { BlobRow } from "./queries.ts";

/** The source and target stores, with the rows that describe the blobs. */
export interface CopyContext {
  readonly db: Db;
  readonly source: BlobStore;
  readonly target: BlobStore;
  /** Called with the length of each chunk that is read from the source. */
  readonly onBytes: (count: number) => void;
}

/**
 * Copies a blob and reads the copy back. The target commits it only if the whole source matches its row, and removes it if the copy differs. Throws
 * NOT_FOUND, SIZE_MISMATCH or DIGEST_MISMATCH, and the errors of the stores.
 */
export async function copyBlob({ source, target, onBytes }: CopyContext, row: BlobRow, area: BlobArea): Promise<void> {
  const key = row.blob_key;
  const hash = createHash("sha256");
  let digest = "";

  async function* checked(): AsyncGenerator<Uint8Array> {
    let sizeBytes = 0;
    for await (const chunk of fromEitherArea(source, key, area)) {
      sizeBytes += chunk.length;
      if (sizeBytes > row.size_bytes) throw sizeMismatch(row, "more");
      hash.update(chunk);
      onBytes(chunk.length);
      yield chunk;
    }
    if (sizeBytes < row.size_bytes) throw sizeMismatch(row, String(sizeBytes));
    digest = hash.digest("hex");
    if (row.sha256 !== null && digest !== row.sha256) throw digestMismatch(digest, row.sha256);
  }

  // Opens the source before the target stages anything, because a missing source blob is the most frequent failure.
  const body = checked();
  const first = await body.next();
  try {
    const staged = await target.stage(key, row.size_bytes, { isDirect: true });
    await target.writeAll(staged, first.done ? body : prepend(first.value, body));
    await commitOrDiscard(target, staged);
  } finally {
    await body.return(undefined);
  }
  if (area === "quarantine") await target.quarantine(key);
  const readBack = await digestOf(target, key, area);
  if (readBack === digest) return;
  await target.remove(key);
  throw new AppError("DIGEST_MISMATCH", `the copy has the SHA-256 ${readBack} instead of ${digest}, and was removed`);
}

/** Commits a blob, and discards it if that fails, because a store may keep it in memory. */
async function commitOrDiscard(target: BlobStore, staged: StagedBlob): Promise<void> {
  try {
    await target.commit(staged);
  } catch (error) {
    await discardStaged(target, staged).catch(() => undefined);
    throw error;
  }
}

/** Discards a staged blob, unless its key is visible: `discard` would remove the visible blob too. */
export async function discardStaged(target: BlobStore, staged: StagedBlob): Promise<void> {
  if ((await target.size(staged.key)) === undefined) await target.discard(staged);
}

/** Computes the SHA-256 of a blob, which may be moving to the other area. Throws NOT_FOUND. */
export async function digestOf(store: BlobStore, key: string, area: BlobArea, onBytes?: (count: number) => void): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of fromEitherArea(store, key, area)) {
    hash.update(chunk);
    onBytes?.(chunk.length);
  }
  return hash.digest("hex");
}

/** Reads a blob from `area`, or from the other area, because it may have moved since its row was read. */
async function* fromEitherArea(store: BlobStore, key: string, area: BlobArea): AsyncGenerator<Uint8Array> {
  let hasStarted = false;
  try {
    for await (const chunk of store.read(key, { area })) {
      hasStarted = true;
      yield chunk;
    }
    return;
  } catch (error) {
    if (hasStarted || !(error instanceof AppError) || error.code !== "NOT_FOUND") throw error;
  }
  yield* store.read(key, { area: area === "visible" ? "quarantine" : "visible" });
}

async function* prepend(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

const sizeMismatch = (row: BlobRow, has: string): AppError =>
  new AppError("SIZE_MISMATCH", `the source has ${has} bytes instead of ${row.size_bytes}`);

const digestMismatch = (has: string, expected: string): AppError =>
  new AppError("DIGEST_MISMATCH", `the source has the SHA-256 ${has} instead of ${expected}`);
