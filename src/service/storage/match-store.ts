import { type BlobStore, fileBlobKey } from "../../blobs/store.ts";
import type { Db } from "../../db/database.ts";
import { keysOfFiles, STATES_WITH_BYTES } from "./known-keys.ts";

/** Number of files in the sample whose bytes are looked up, with one request each. */
const FILES = 20;
/** The part of a sample that may differ: a crash can have left an orphan. */
const TOLERATED_SHARE = 0.01;

/**
 * Returns whether a database and a store belong together, by a sample: keys are random, so the first keys are a sample. A new installation, where
 * both are empty, matches.
 */
export async function matchesStore(db: Db, blobs: BlobStore, { countsStaged = true } = {}): Promise<boolean> {
  const files = await sampleFiles(db);
  const pages = [await blobs.list("visible"), await blobs.list("quarantine"), ...(countsStaged ? [await blobs.listStaged()] : [])];
  const found = pages.flatMap(({ items }) => items.map(({ key }) => fileBlobKey(key)));
  const known = await keysOfFiles(db, [...new Set(found)], ["uploading", ...STATES_WITH_BYTES]);
  const unknown = found.filter((key) => !known.has(key)).length;
  const sizes = await Promise.all(
    files.map(async (key) => (await blobs.size(key, "visible")) ?? (await blobs.size(key, "quarantine")) ?? undefined),
  );
  const missing = sizes.filter((size) => size === undefined).length;
  return isTolerated(unknown, found.length) && isTolerated(missing, files.length);
}

const isTolerated = (different: number, all: number): boolean => different <= all * TOLERATED_SHARE;

async function sampleFiles(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("files")
    .select("blob_key")
    .where("blob_state", "in", ["stored", "quarantined"])
    .orderBy("blob_key")
    .limit(FILES)
    .execute();
  return rows.map((row) => row.blob_key);
}
