import type { BlobArea, BlobStore } from "../../../blobs/store.ts";
import { AppError } from "../../../errors.ts";
import type { BlobSizes, ComparedBlob } from "./compare-blobs.ts";
import { type CopyContext, copyBlob, digestOf, discardStaged } from "./copy-blob.ts";
import { type BlobRow, findBlobRow } from "./queries.ts";

/** The outcome for one blob. `moved`: moved to its area at the target; `deletedMeanwhile`: removed from the target, because its file was deleted. */
export type BlobOutcome =
  | { readonly kind: "copied" | "moved" | "verified" | "deletedMeanwhile" }
  | { readonly kind: "failed"; readonly fileId: string; readonly reason: string };

/** The action for a blob at the target. */
export type CopyAction = "copy" | "move" | "verify";

const MAX_CHANGES = 5;

/** Chooses the action for a blob by its size and area at the target; undefined for none. A blob of an interrupted copy is verified. */
export function chooseAction({ row, sizes }: ComparedBlob, { isTrusted }: { readonly isTrusted: boolean }): CopyAction | undefined {
  const area = areaWith(row, sizes);
  if (area === undefined) return "copy";
  if (!isTrusted) return "verify";
  return area === areaOf(row) || isMoving(row) ? undefined : "move";
}

/**
 * Brings the target's blob to the state of its row: copies, moves or verifies it. Reads the row before and after, because the file may be deleted or
 * moved meanwhile. A missing or damaged source gives `failed`; throws other errors of the stores.
 */
export async function reconcileBlob(context: CopyContext, found: ComparedBlob, action: CopyAction): Promise<BlobOutcome> {
  const { db, target } = context;
  const key = found.row.blob_key;
  await discardLeftovers(context, found);
  for (let sizes = found.sizes, isTrusted = action === "move", changes = 0; ; changes++) {
    const row = await findBlobRow(db, key);
    if (!row) {
      await target.remove(key);
      return { kind: "deletedMeanwhile" };
    }
    const outcome = await copyOne(context, row, { sizes, isTrusted });
    const now = await findBlobRow(db, key);
    const isSame = now?.blob_state === row.blob_state && now.sha256 === row.sha256;
    if (isSame || changes === MAX_CHANGES) return outcome;
    sizes = await readSizes(target, key);
    isTrusted = outcome.kind !== "failed" && now?.sha256 === row.sha256;
  }
}

const areaOf = (row: BlobRow): BlobArea => (row.blob_state === "quarantined" ? "quarantine" : "visible");
const otherArea = (area: BlobArea): BlobArea => (area === "visible" ? "quarantine" : "visible");

/** Returns the area where the blob has the size of its row; the row's area if both do. */
function areaWith(row: BlobRow, sizes: BlobSizes): BlobArea | undefined {
  return [areaOf(row), otherArea(areaOf(row))].find((area) => sizes[area] === row.size_bytes);
}

/** Returns whether an infected file is being moved to or from quarantine, so that both areas are correct. */
const isMoving = (row: BlobRow): boolean => row.blob_state === "stored" && row.scan_reason === "infected";

/** Reads the sizes of a blob in a store, by area. */
export async function readSizes(store: BlobStore, key: string): Promise<BlobSizes> {
  const [visible, quarantine] = await Promise.all([store.size(key, "visible"), store.size(key, "quarantine")]);
  return { ...(visible !== undefined && { visible }), ...(quarantine !== undefined && { quarantine }) };
}

/** Discards the staged blobs of an interrupted copy. */
async function discardLeftovers({ target }: CopyContext, { staged }: ComparedBlob): Promise<void> {
  for (const leftover of staged) await discardStaged(target, leftover);
}

async function copyOne(
  context: CopyContext,
  row: BlobRow,
  { sizes, isTrusted }: { readonly sizes: BlobSizes; readonly isTrusted: boolean },
): Promise<BlobOutcome> {
  const { target } = context;
  try {
    const area = areaWith(row, sizes);
    if (area !== undefined && (isTrusted || (await hasSameBytes(context, row, sizes)))) {
      if (area === areaOf(row) || isMoving(row)) return { kind: "verified" };
      await moveToArea(target, row);
      return { kind: "moved" };
    }
    await copyBlob(context, row, areaOf(row));
    return { kind: "copied" };
  } catch (error) {
    if (!(error instanceof AppError) || !BLOB_ERRORS.some((code) => code === error.code)) throw error;
    return { kind: "failed", fileId: row.id, reason: error.message };
  }
}

/** Errors that concern one blob, not a whole store. */
const BLOB_ERRORS = ["NOT_FOUND", "DIGEST_MISMATCH", "SIZE_MISMATCH", "CONFLICT", "UPLOAD_CLOSED"] as const;

const moveToArea = (target: BlobStore, row: BlobRow): Promise<void> =>
  areaOf(row) === "quarantine" ? target.quarantine(row.blob_key) : target.restore(row.blob_key);

/** Returns whether the target's blob has the digest of its row, or of the source if the row has none yet. */
export async function hasSameBytes({ source, target, onBytes }: CopyContext, row: BlobRow, sizes: BlobSizes): Promise<boolean> {
  const area = areaWith(row, sizes);
  if (area === undefined) return false;
  const expected = row.sha256 ?? (await digestOf(source, row.blob_key, areaOf(row), onBytes));
  return (await digestOf(target, row.blob_key, area)) === expected;
}
