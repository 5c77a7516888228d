import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow, WithdrawalRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { changeEach } from "../files/change-each.ts";
import { endFilesOnly } from "../files/end-file.ts";
import { fileIdOf } from "../files/places.ts";
import { cancelRemovalWithoutBytes } from "../files/remove-bytes.ts";
import { listTakedownsOf, undoTakedowns } from "../files/takedowns.ts";
import { closeTakenDownShares, endOtherPlaces, hasEndablePlaces, insertWithdrawal } from "../files/withdraw.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { findFileWithShare } from "../shares/queries.ts";
import { noSuchFile } from "./files.ts";
import {
  type Blocks,
  blockDigestsOf,
  blockedByShare,
  hasTakenDownBytes,
  NO_BLOCKS,
  readOtherPlaces,
  removalTime,
  replaceByHolders,
  type TakedownOptions,
  type TakedownReport,
  toBlocksView,
  toOthersView,
  toPlaceView,
  toTakedownOptions,
} from "./take-down.ts";

interface FileTakedown extends Pick<TakedownReport, "bytesUntil" | "otherPlaces" | "otherPlaceCount">, Blocks {
  readonly id: string;
  readonly shortId: string;
  readonly name: string;
}

/**
 * Takes one file down, in a transaction, with its places in other shares, and closes the shares without another active file (expiry, "Takedown").
 * Throws NOT_FOUND if the file is unknown, not in the share `shortId`, or deleted without another place; CONFLICT if it was taken down before. Call
 * `ctx.wakeJobs()` afterwards.
 */
export async function blockFile(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  fileId: string,
  { block, publicReason, shortId }: TakedownOptions & { readonly shortId?: string },
): Promise<FileTakedown> {
  const found = await findFileWithShare(ctx.db, fileId);
  if (!found || found.file.short_id !== (shortId ?? found.file.short_id)) throw noSuchFile(fileId);
  const { file } = found;
  const fileIds = [fileIdOf(file)];
  const hasOthers = await hasEndablePlaces(ctx.db, fileIds, [file.id]);
  // A takedown that is undone may leave this place blocked, and others open.
  if ((await listTakedownsOf(ctx.db, fileIdOf(file))).length > 0 || (file.status === "dmca_removed" && !hasOthers))
    throw new AppError("CONFLICT", "The file was already taken down. Nothing was changed.");
  if (file.status === "deleted" && !hasOthers) throw noSuchFile(fileId);
  const others = await readOtherPlaces(ctx.db, [file]);
  const takedown = await insertWithdrawal(ctx, { kind: "takedown", fileIds, removeAtMs: removalTime(ctx, { block }), publicReason });
  if (file.status !== "deleted") {
    await endFilesOnly(ctx, [file], { status: "dmca_removed", removeAtMs: takedown.remove_at });
    await cancelRemovalWithoutBytes(ctx.db, file.short_id);
    await closeTakenDownShares(ctx, takedown, [file.short_id]);
  }
  await endOtherPlaces(ctx, origin, takedown);
  const blocks = block ? await blockDigestsOf(ctx, origin, await replaceByHolders(ctx.db, [file]), block) : NO_BLOCKS;
  await recordAudit(ctx, origin, {
    action: "file.taken_down",
    subject: file.id,
    account: file.owner_id,
    details: { share: file.short_id, takedown: takedown.id },
  });
  const bytesUntil = toIso((await hasTakenDownBytes(ctx.db, fileIds)) ? takedown.remove_at : ctx.now());
  return { id: file.id, shortId: file.short_id, name: file.name, ...others, bytesUntil, ...blocks };
}

/** `POST /admin/files/{fileId}/takedown`. */
export const takeDownFile: AdministratorOperation<"takeDownFile"> = async (ctx, call, { fileId, block, reason, publicReason }) => {
  const options = toTakedownOptions({ block, note: reason, publicReason });
  const taken = await commitResponse(ctx, call, async (ctx) => {
    const report = await blockFile(ctx, call, fileId, options);
    return { ...report, ...toBlocksView(report) };
  });
  ctx.wakeJobs();
  return taken;
};

/** `POST /admin/files/takedown`. */
export const takeDownFiles: AdministratorOperation<"takeDownFiles"> = async (ctx, call, { fileIds, block, reason, publicReason }) => {
  const options = toTakedownOptions({ block, note: reason, publicReason });
  const taken = await commitResponse(ctx, call, async (ctx) => {
    const places = await findPlaces(ctx, fileIds);
    const covered = new Map<string, FileTakedown>();
    const { done, refused } = await changeEach(fileIds, async (fileId) => {
      const place = places.get(fileId);
      const known = place && covered.get(fileIdOf(place));
      if (place && known) return { ...known, ...toPlaceView(place), otherPlaces: [], otherPlaceCount: 0, ...NO_BLOCKS };
      const report = await blockFile(ctx, call, fileId, options);
      if (place) covered.set(fileIdOf(place), report);
      return report;
    });
    const takenDown = done.map(({ blocked: _blocked, blockedLater: _later, notBlocked: _not, ...file }) => file);
    return { takenDown, refused, ...toBlocksView(...done) };
  });
  ctx.wakeJobs();
  return taken;
};

/** Finds places by their IDs. */
async function findPlaces({ db }: TransactionCtx, ids: readonly string[]) {
  const places = await db.selectFrom("files").select(["id", "short_id", "name", "origin_id"]).where("id", "in", inJson(ids)).execute();
  return new Map(places.map((place) => [place.id, place]));
}

/**
 * Undoes the takedown of a file, in a transaction, also of its places in other shares. Throws NOT_FOUND, and CONFLICT if it was not taken down, the
 * takedown of another share blocks it too, or nothing can be restored.
 */
async function bringFileBack(ctx: TransactionCtx, origin: AuditOrigin, fileId: string) {
  const found = await findFileWithShare(ctx.db, fileId);
  if (!found) throw noSuchFile(fileId);
  const { file } = found;
  const takedowns = await getUndoable(ctx, file);
  const undone = await undoTakedowns(ctx, origin, { shortId: file.short_id, takedowns, fileIds: [fileIdOf(file)] });
  const details = { share: file.short_id, takedown: undone.id };
  await recordAudit(ctx, origin, { action: "file.restored", subject: file.id, account: file.owner_id, details });
  const isBack = undone.files.some(({ id, status }) => id === file.id && status === "active");
  return { ...toPlaceView(file), isBack, ...toOthersView(undone) };
}

/**
 * Returns the takedowns that the undoing of a file ends: those of the file and of its share, or the only one. A takedown of another share that blocks
 * it too stays in force.
 */
async function getUndoable(ctx: TransactionCtx, file: FileRow): Promise<readonly WithdrawalRow[]> {
  const takedowns = await listTakedownsOf(ctx.db, fileIdOf(file));
  if (takedowns.length === 0) {
    if (file.status !== "dmca_removed") throw new AppError("CONFLICT", "The file was not taken down. Nothing was changed.");
    throw new AppError(
      "CONFLICT",
      "There is nothing to restore: the takedown of the file was undone, its share is taken down itself, or its bytes have been removed. Undo the takedown of the share, or ask the sender to upload it again.",
    );
  }
  if (takedowns.length === 1) return takedowns;
  const another = takedowns.find(({ short_id }) => short_id !== null && short_id !== file.short_id);
  if (another?.short_id) throw blockedByShare(another.short_id);
  return takedowns;
}

/** `POST /admin/files/{fileId}/restore`. */
export const restoreFile: AdministratorOperation<"restoreFile"> = async (ctx, call, { fileId }) => {
  const restored = await commitResponse(ctx, call, (ctx) => bringFileBack(ctx, call, fileId));
  ctx.wakeJobs();
  return restored;
};

/** `POST /admin/files/restore`. */
export const restoreFiles: AdministratorOperation<"restoreFiles"> = async (ctx, call, { fileIds }) => {
  const restored = await commitResponse(ctx, call, async (ctx) => {
    const places = await findPlaces(ctx, fileIds);
    const covered = new Set<string>();
    const { done, refused } = await changeEach(fileIds, async (fileId) => {
      const place = places.get(fileId);
      if (place && covered.has(fileIdOf(place)))
        return { ...toPlaceView(place), isBack: await isActive(ctx, fileId), otherPlaces: [], otherPlaceCount: 0, reopenedShares: [] };
      const file = await bringFileBack(ctx, call, fileId);
      if (place) covered.add(fileIdOf(place));
      return file;
    });
    return { restored: done, refused };
  });
  ctx.wakeJobs();
  return restored;
};

async function isActive({ db }: TransactionCtx, id: string): Promise<boolean> {
  const file = await db.selectFrom("files").select("status").where("id", "=", id).executeTakeFirst();
  return file?.status === "active";
}
