import type { TransactionCtx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { changeEach } from "../files/change-each.ts";
import { endFilesOnly } from "../files/end-file.ts";
import { listOtherPlaces } from "../files/places.ts";
import { cancelRemovalWithoutBytes } from "../files/remove-bytes.ts";
import { restoreShare } from "../files/restore-share.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { findFileWithShare } from "../shares/queries.ts";
import { noSuchFile } from "./files.ts";
import {
  type Blocks,
  blockDigestsOf,
  closeOtherShares,
  NO_BLOCKS,
  type PlaceView,
  removalTime,
  type TakedownOptions,
  type TakedownReport,
  toBlocksView,
  toPlaceView,
  toPlaceViews,
} from "./take-down.ts";

interface FileTakedown extends Pick<TakedownReport, "bytesUntil">, Blocks {
  readonly id: string;
  readonly shortId: string;
  readonly name: string;
  readonly otherPlaces: PlaceView[];
}

/**
 * Takes one file down, in a transaction, and closes its share if no other file is active (expiry, "Takedown"). Throws NOT_FOUND if the file is
 * unknown, deleted or not in the share `shortId`; CONFLICT if it was taken down before. Call `ctx.wakeJobs()` afterwards.
 */
export async function blockFile(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  fileId: string,
  { block, shortId }: TakedownOptions & { readonly shortId?: string },
): Promise<FileTakedown> {
  const found = await findFileWithShare(ctx.db, fileId);
  if (!found || found.file.status === "deleted" || found.file.short_id !== (shortId ?? found.file.short_id)) throw noSuchFile(fileId);
  const { file } = found;
  const removeAtMs = removalTime(ctx, { block });
  const others = await listOtherPlaces(ctx.db, [file]);
  // The bytes of an ended place may be needed by others, which end with it.
  const [holder = file] = [file, ...others].filter(({ blob_state }) => blob_state === "stored" || blob_state === "quarantined");
  const hasBytes = ["stored", "quarantined", "removing"].includes(holder.blob_state);
  if (file.status === "dmca_removed") throw new AppError("CONFLICT", "The file was already taken down. Nothing was changed.");
  await endFilesOnly(ctx, [file, ...others], { status: "dmca_removed", removeAtMs: hasBytes ? removeAtMs : null });
  await cancelRemovalWithoutBytes(ctx.db, file.short_id);
  await closeOtherShares(ctx, [file, ...others]);
  const blocks = block ? await blockDigestsOf(ctx, origin, [holder], block) : NO_BLOCKS;
  await recordAudit(ctx, origin, {
    action: "file.taken_down",
    subject: file.id,
    account: file.owner_id,
    details: { share: file.short_id },
  });
  const bytesUntil = toIso(hasBytes ? removeAtMs : ctx.now());
  return { id: file.id, shortId: file.short_id, name: file.name, otherPlaces: toPlaceViews(others), bytesUntil, ...blocks };
}

/** `POST /admin/files/{fileId}/takedown`. */
export const takeDownFile: AdministratorOperation<"takeDownFile"> = async (ctx, call, { fileId, block, reason }) => {
  const options = block ? { block: { reason: reason ?? undefined } } : {};
  const taken = await commitResponse(ctx, call, async (ctx) => {
    const report = await blockFile(ctx, call, fileId, options);
    return { ...report, ...toBlocksView(report) };
  });
  ctx.wakeJobs();
  return taken;
};

/** `POST /admin/files/takedown`. */
export const takeDownFiles: AdministratorOperation<"takeDownFiles"> = async (ctx, call, { fileIds, block, reason }) => {
  const options = block ? { block: { reason: reason ?? undefined } } : {};
  const taken = await commitResponse(ctx, call, async (ctx) => {
    const covered = new Map<string, FileTakedown>();
    const { done, refused } = await changeEach(fileIds, async (fileId) => {
      const known = covered.get(fileId);
      if (known) return { ...known, ...NO_BLOCKS };
      const report = await blockFile(ctx, call, fileId, options);
      for (const { id, shortId, name } of report.otherPlaces) covered.set(id, { ...report, id, shortId, name, otherPlaces: [] });
      return report;
    });
    return {
      takenDown: done.map(({ id, shortId, name, otherPlaces, bytesUntil }) => ({ id, shortId, name, otherPlaces, bytesUntil })),
      refused,
      ...toBlocksView(...done),
    };
  });
  ctx.wakeJobs();
  return taken;
};

interface RestoredFile extends PlaceView {
  /** The places in other shares that are back too. */
  readonly others: readonly PlaceView[];
}

/** Restores a file after its takedown, in a transaction. Throws NOT_FOUND, and CONFLICT if nothing can be restored. */
async function bringFileBack(ctx: TransactionCtx, origin: AuditOrigin, fileId: string): Promise<RestoredFile> {
  const found = await findFileWithShare(ctx.db, fileId);
  if (!found) throw noSuchFile(fileId);
  const { file, share } = found;
  if (file.status !== "dmca_removed") throw new AppError("CONFLICT", "The file was not taken down. Nothing was changed.");
  if (share.status === "expired" || share.status === "deleted")
    throw new AppError("CONFLICT", "The share of this file has ended meanwhile. Ask the sender to upload it again.");
  const { others } = await restoreShare(ctx, share, { fileId });
  await recordAudit(ctx, origin, { action: "file.restored", subject: file.id, account: file.owner_id, details: { share: file.short_id } });
  return { ...toPlaceView(file), others: others.map(toPlaceView) };
}

/** `POST /admin/files/{fileId}/restore`. */
export const restoreFile: AdministratorOperation<"restoreFile"> = async (ctx, call, { fileId }) => {
  const restored = await commitResponse(ctx, call, async (ctx) => {
    const { others: _others, ...file } = await bringFileBack(ctx, call, fileId);
    return file;
  });
  ctx.wakeJobs();
  return restored;
};

/** `POST /admin/files/restore`. */
export const restoreFiles: AdministratorOperation<"restoreFiles"> = async (ctx, call, { fileIds }) => {
  const restored = await commitResponse(ctx, call, async (ctx) => {
    const covered = new Map<string, PlaceView>();
    const { done, refused } = await changeEach(fileIds, async (fileId) => {
      const known = covered.get(fileId);
      if (known) return known;
      const { others, ...file } = await bringFileBack(ctx, call, fileId);
      for (const other of others) covered.set(other.id, other);
      return file;
    });
    return { restored: done, refused };
  });
  ctx.wakeJobs();
  return restored;
};
