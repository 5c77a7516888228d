import type { BlobArea, BlobStore } from "../../blobs/store.ts";
import { type BlobRow, findBlobRow } from "../../db/blob-rows.ts";
import { AppError } from "../../errors.ts";
import type { BlobSizes, ComparedBlob } from "./compare-blobs.ts";
import { type BlobCopying, digestOf, transferBlob } from "./transfer-blob.ts";

/** What became of a blob: brought over, put into its area, found to be right, gone with its file, or left out for a reason. */
export type Settled =
  | { readonly kind: "copied" | "moved" | "verified" | "gone" }
  | { readonly kind: "failed"; readonly fileId: string; readonly reason: string };

/** What is to be done for a blob; undefined where it is right as it is. */
export type Need = "copy" | "move" | "verify";

const MAX_CHANGES = 5;

/** What a blob needs, as far as sizes and areas tell. */
export function needOf({ row, sizes }: ComparedBlob, { isTrusted }: { readonly isTrusted: boolean }): Need | undefined {
  const area = areaWith(row, sizes);
  if (area === undefined) return "copy";
  if (!isTrusted) return "verify";
  return area === areaOf(row) || isOnItsWay(row) ? undefined : "move";
}

/**
 * Makes the target have a file's bytes, in the area that its row says, and reads back what it wrote. Looks at the row again before and after, since
 * the file may be deleted or set aside meanwhile. Throws what the stores throw, but for bytes that are not there: those are `failed`.
 */
export async function settleBlob(copying: BlobCopying, found: ComparedBlob, need: Need): Promise<Settled> {
  const { db, target } = copying;
  const key = found.row.blob_key;
  await dropLeftovers(copying, found);
  for (let sizes = found.sizes, isTrusted = need === "move", changes = 0; ; changes++) {
    const row = await findBlobRow(db, key);
    if (!row) {
      await target.remove(key);
      return { kind: "gone" };
    }
    const settled = await bring(copying, row, { sizes, isTrusted });
    const now = await findBlobRow(db, key);
    const isSame = now?.blob_state === row.blob_state && now.sha256 === row.sha256;
    if (isSame || changes === MAX_CHANGES) return settled;
    sizes = await sizesAt(target, key);
    isTrusted = settled.kind !== "failed" && now?.sha256 === row.sha256;
  }
}

const areaOf = (row: BlobRow): BlobArea => (row.blob_state === "quarantined" ? "quarantine" : "visible");
const otherThan = (area: BlobArea): BlobArea => (area === "visible" ? "quarantine" : "visible");

/** Where the store has as many bytes as the row says; the area that the row says, where it is both. */
function areaWith(row: BlobRow, sizes: BlobSizes): BlobArea | undefined {
  return [areaOf(row), otherThan(areaOf(row))].find((area) => sizes[area] === row.size_bytes);
}

/** Of an infected file that is still said to be stored, the bytes are on their way into quarantine or out of it: either place is right. */
const isOnItsWay = (row: BlobRow): boolean => row.blob_state === "stored" && row.scan_reason === "infected";

/** The bytes that a store has under a key, by area. */
export async function sizesAt(store: BlobStore, key: string): Promise<BlobSizes> {
  const [visible, quarantine] = await Promise.all([store.size(key, "visible"), store.size(key, "quarantine")]);
  return { ...(visible !== undefined && { visible }), ...(quarantine !== undefined && { quarantine }) };
}

/** What a copy that was killed had begun to write. Asked again first: `discard` also drops what is visible. */
async function dropLeftovers({ target }: BlobCopying, { row, staged }: ComparedBlob): Promise<void> {
  if (staged.length === 0 || (await target.size(row.blob_key)) !== undefined) return;
  for (const leftover of staged) await target.discard(leftover);
}

async function bring(
  copying: BlobCopying,
  row: BlobRow,
  { sizes, isTrusted }: { readonly sizes: BlobSizes; readonly isTrusted: boolean },
): Promise<Settled> {
  const { target } = copying;
  try {
    const area = areaWith(row, sizes);
    if (area !== undefined && (isTrusted || (await isRight(copying, row, sizes)))) {
      if (area === areaOf(row) || isOnItsWay(row)) return { kind: "verified" };
      await move(target, row);
      return { kind: "moved" };
    }
    await transferBlob(copying, row, areaOf(row));
    return { kind: "copied" };
  } catch (error) {
    if (!(error instanceof AppError) || !TELLING.some((code) => code === error.code)) throw error;
    return { kind: "failed", fileId: row.id, reason: error.message };
  }
}

/** What is wrong with one blob, not with a store. */
const TELLING = ["NOT_FOUND", "DIGEST_MISMATCH", "SIZE_MISMATCH", "CONFLICT", "UPLOAD_CLOSED"] as const;

const move = (target: BlobStore, row: BlobRow): Promise<void> =>
  areaOf(row) === "quarantine" ? target.quarantine(row.blob_key) : target.restore(row.blob_key);

/** Reads what the target has against the digest of the row, or of the source where the file has not been checked yet. False where it has nothing of that size. */
export async function isRight({ source, target, onBytes }: BlobCopying, row: BlobRow, sizes: BlobSizes): Promise<boolean> {
  const area = areaWith(row, sizes);
  if (area === undefined) return false;
  const expected = row.sha256 ?? (await digestOf(source, row.blob_key, areaOf(row), onBytes));
  return (await digestOf(target, row.blob_key, area)) === expected;
}
