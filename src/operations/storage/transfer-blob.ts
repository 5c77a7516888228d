import { createHash } from "node:crypto";
import type { BlobArea, BlobStore, StagedBlob } from "../../blobs/store.ts";
import type { BlobRow } from "../../db/blob-rows.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";

/** From where to where, and the rows that say what must be there. */
export interface BlobCopying {
  readonly db: Db;
  readonly source: BlobStore;
  readonly target: BlobStore;
  /** Told of each piece that was read from the source. */
  readonly onBytes: (count: number) => void;
}

/**
 * Copies a blob and reads it back. It is visible at the target only when all of it has been read and is what its row says; what the target gives back
 * otherwise is removed again. Throws NOT_FOUND, SIZE_MISMATCH or DIGEST_MISMATCH, and what the stores throw.
 */
export async function transferBlob({ source, target, onBytes }: BlobCopying, row: BlobRow, area: BlobArea): Promise<void> {
  const key = row.blob_key;
  const hash = createHash("sha256");
  let digest = "";

  async function* checked(): AsyncGenerator<Uint8Array> {
    let sizeBytes = 0;
    for await (const chunk of fromEitherArea(source, key, area)) {
      sizeBytes += chunk.length;
      if (sizeBytes > row.size_bytes) throw otherSize(row, "more");
      hash.update(chunk);
      onBytes(chunk.length);
      yield chunk;
    }
    if (sizeBytes < row.size_bytes) throw otherSize(row, String(sizeBytes));
    digest = hash.digest("hex");
    if (row.sha256 !== null && digest !== row.sha256) throw otherBytes(digest, row.sha256);
  }

  // Begun before anything is asked of the target: most of what goes wrong is that the source has no such bytes.
  const body = checked();
  const first = await body.next();
  try {
    const staged = await target.stage(key, row.size_bytes, { whole: true });
    await target.writeAll(staged, first.done ? body : after(first.value, body));
    await commitOrForget(target, staged);
  } finally {
    await body.return(undefined);
  }
  if (area === "quarantine") await target.quarantine(key);
  const readBack = await digestOf(target, key, area);
  if (readBack === digest) return;
  await target.remove(key);
  throw new AppError(
    "DIGEST_MISMATCH",
    `what was written reads back with the SHA-256 ${readBack} instead of ${digest}, and was removed again`,
  );
}

/** What was not taken is not kept either: a store may hold it in memory until it is, and of many blobs that is too much. */
async function commitOrForget(target: BlobStore, staged: StagedBlob): Promise<void> {
  try {
    await target.commit(staged);
  } catch (error) {
    await forget(target, staged).catch(() => undefined);
    throw error;
  }
}

/** Asked first: `discard` also drops what is visible. */
async function forget(target: BlobStore, staged: StagedBlob): Promise<void> {
  if ((await target.size(staged.key)) === undefined) await target.discard(staged);
}

/** The SHA-256 of a blob, which may be in the other area where it is on its way. Throws NOT_FOUND. */
export async function digestOf(store: BlobStore, key: string, area: BlobArea, onBytes?: (count: number) => void): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of fromEitherArea(store, key, area)) {
    hash.update(chunk);
    onBytes?.(chunk.length);
  }
  return hash.digest("hex");
}

/** A file may be set aside, or brought back, between its row's being read and its bytes' being asked for. */
async function* fromEitherArea(store: BlobStore, key: string, area: BlobArea): AsyncGenerator<Uint8Array> {
  let isBegun = false;
  try {
    for await (const chunk of store.read(key, { area })) {
      isBegun = true;
      yield chunk;
    }
    return;
  } catch (error) {
    if (isBegun || !(error instanceof AppError) || error.code !== "NOT_FOUND") throw error;
  }
  yield* store.read(key, { area: area === "visible" ? "quarantine" : "visible" });
}

async function* after(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

const otherSize = (row: BlobRow, has: string): AppError =>
  new AppError("SIZE_MISMATCH", `the source has ${has} bytes instead of ${row.size_bytes}`);

const otherBytes = (has: string, expected: string): AppError =>
  new AppError("DIGEST_MISMATCH", `the source's bytes have the SHA-256 ${has} instead of ${expected}`);
