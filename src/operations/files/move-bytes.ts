import type { BlobArea, BlobKey, BlobStore } from "../../blobs/store.ts";
import { AppError } from "../../errors.ts";

/** Has a file's bytes lie in an area, wherever they are now. Throws NOT_FOUND where they are in none. */
export async function moveBytes(blobs: BlobStore, key: BlobKey, to: BlobArea): Promise<void> {
  try {
    await (to === "quarantine" ? blobs.quarantine(key) : blobs.restore(key));
  } catch (error) {
    const isThere = error instanceof AppError && error.code === "NOT_FOUND" && (await blobs.size(key, to)) !== undefined;
    if (!isThere) throw error;
  }
}
