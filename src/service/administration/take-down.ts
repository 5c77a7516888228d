import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ReportReason } from "../../contract/scalars.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { endFilesOnly } from "../files/end-file.ts";
import { countOtherPlaces, fileIdOf, listOtherPlaces, type OtherPlace } from "../files/places.ts";
import { cancelRemovalWithoutBytes } from "../files/remove-bytes.ts";
import { findClosingTakedown, findShareTakedown, type Undoing, type UndoneTakedown, undoTakedowns } from "../files/takedowns.ts";
import { closeNamedShare, endOtherPlaces, extendTakedown, hasEndablePlaces, insertWithdrawal } from "../files/withdraw.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { awaitBlocks } from "../scanning/awaited-blocks.ts";
import { insertBlocks } from "../scanning/blocklist.ts";
import { type FoundShare, findLinkedShare, listShareFiles } from "../shares/queries.ts";

/** Minimum retention of bytes whose digest the server still has to compute. */
const DIGEST_MS = DAY_MS;

/** Maximum number of places in other shares that a report names. */
export const MAX_OTHER_PLACES = 20;

export interface TakedownReport {
  readonly shortId: string;
  /** `deleted`: its owner had deleted it, so only the places of its files in other shares are taken down. */
  readonly status: "dmca_removed" | "deleted";
  readonly files: readonly NamedFile[];
  /** The first places of these files in other shares, which are taken down with them, and the number of all. */
  readonly otherPlaces: PlaceView[];
  readonly otherPlaceCount: number;
  /** Removal time of the bytes, in ISO 8601. Until then an administrator can undo a mistaken takedown. */
  readonly bytesUntil: string;
  /** The SHA-256 digests that were added to the blocklist. */
  readonly blocked: readonly string[];
  /** With `block`: the files whose digest is unknown. The server computes it and then adds it to the blocklist. */
  readonly blockedLater: readonly NamedFile[];
  /** With `block`: the files whose digest cannot be computed, because the upload had not ended or the bytes are removed. */
  readonly notBlocked: readonly NamedFile[];
}

/** A place of a file in another share. */
export interface PlaceView extends NamedFile {
  readonly shortId: string;
}

export const toPlaceView = ({ id, short_id, name }: OtherPlace): PlaceView => ({ id, shortId: short_id, name });

/** Returns the first other places of files, and their number. */
export async function readOtherPlaces(
  db: Db,
  files: readonly Pick<FileRow, "id" | "origin_id">[],
): Promise<Pick<TakedownReport, "otherPlaces" | "otherPlaceCount">> {
  const others = await listOtherPlaces(db, files, MAX_OTHER_PLACES);
  const ids = files.map(({ id }) => id);
  const origins = [...new Set(files.flatMap(({ origin_id }) => origin_id ?? []))];
  const otherPlaceCount = others.length < MAX_OTHER_PLACES ? others.length : await countOtherPlaces(db, origins, ids);
  return { otherPlaces: others.map(toPlaceView), otherPlaceCount };
}

interface NamedFile {
  readonly id: string;
  readonly name: string;
}

export interface TakedownOptions {
  /** Adds the digests of the share's files to the blocklist, with a note. */
  readonly block?: { readonly reason?: string | undefined } | undefined;
  /** The reason that the pages of its links give. */
  readonly publicReason?: ReportReason | null | undefined;
}

interface TakedownInput {
  readonly block?: boolean | undefined;
  readonly note?: string | null | undefined;
  readonly publicReason?: ReportReason | null | undefined;
}

/** Returns the options of an administrator's request. */
export const toTakedownOptions = ({ block, note, publicReason }: TakedownInput): TakedownOptions => ({
  ...(block && { block: { reason: note ?? undefined } }),
  publicReason,
});

/**
 * Takes down a share and its files: 451 on pages, 404 in the API and for signed URLs (expiry, "Takedown"). A link that redirects to a
 * shipment takes down the shipment. Repeating the call is safe. Throws NOT_FOUND for an unknown share, and for a deleted one whose files are in no
 * other share. Call `ctx.wakeJobs()` afterwards.
 */
export async function takeDownInTransaction(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  shareId: string,
  { block, publicReason }: TakedownOptions,
): Promise<TakedownReport> {
  const share = await findLinkedShare(ctx.db, shareId);
  if (!share) throw new AppError("NOT_FOUND", `There is no share ${shareId}. Use its short ID or its link.`);
  const { short_id: shortId, owner_id } = share;
  const isDeleted = share.status === "deleted";
  // Files that the owner has deleted from the share are taken down in other shares.
  const named = await listShareFiles(ctx.db, shortId);
  const fileIds = named.map(fileIdOf);
  const ids = named.map(({ id }) => id);
  const earlier = await findShareTakedown(ctx.db, shortId);
  if (isDeleted && !earlier && !(await hasEndablePlaces(ctx.db, fileIds, ids)))
    throw new AppError("NOT_FOUND", `The share ${shareId} was deleted by its owner. There is nothing to take down.`);
  const others = await readOtherPlaces(ctx.db, named);
  const removeAtMs = removalTime(ctx, { block });
  const takedown = earlier
    ? await extendTakedown(ctx, earlier, { fileIds, removeAtMs, publicReason })
    : await insertWithdrawal(ctx, { kind: "takedown", shortId, fileIds, removeAtMs, publicReason });
  if (!isDeleted) {
    await endFilesOnly(ctx, named, { status: "dmca_removed", removeAtMs: takedown.remove_at });
    await closeNamedShare(ctx, takedown, shortId);
    await cancelRemovalWithoutBytes(ctx.db, shortId);
  }
  await endOtherPlaces(ctx, origin, takedown);
  const files = isDeleted ? named : await listShareFiles(ctx.db, shortId);
  const blocks = block ? await blockDigestsOf(ctx, origin, await replaceByHolders(ctx.db, files), block) : NO_BLOCKS;
  await recordAudit(ctx, origin, { action: "share.taken_down", subject: shortId, account: owner_id, details: { takedown: takedown.id } });
  const latestMs = Math.max(0, ...(isDeleted ? [] : files.map((file) => file.remove_at ?? 0)));
  const hasBytes = latestMs > 0 || (await hasTakenDownBytes(ctx.db, fileIds));
  return {
    shortId,
    status: isDeleted ? "deleted" : "dmca_removed",
    files: isDeleted ? [] : files.filter(({ status }) => status !== "deleted").map(({ id, name }) => ({ id, name })),
    ...others,
    bytesUntil: toIso(hasBytes ? Math.max(latestMs, takedown.remove_at) : ctx.now()),
    ...blocks,
  };
}

/** Returns the removal time of bytes that are taken down. It is later if the server must first compute an unknown digest. */
export function removalTime({ now, config }: Pick<Ctx, "now" | "config">, { block }: TakedownOptions): number {
  const keptMs = config.quarantineDays * DAY_MS;
  return now() + (block ? Math.max(keptMs, DIGEST_MS) : keptMs);
}

export type Blocks = Pick<TakedownReport, "blocked" | "blockedLater" | "notBlocked">;

export const NO_BLOCKS: Blocks = { blocked: [], blockedLater: [], notBlocked: [] };

/** Merges the blocklist entries of several takedowns. */
export const toBlocksView = (...all: readonly Blocks[]) => ({
  blocked: all.flatMap(({ blocked }) => blocked),
  blockedLater: all.flatMap(({ blockedLater }) => blockedLater),
  notBlocked: all.flatMap(({ notBlocked }) => notBlocked),
});

/** Returns whether a place of taken down files, by `fileIdOf`, has bytes. */
export async function hasTakenDownBytes(db: Db, fileIds: readonly string[]): Promise<boolean> {
  const ids = inJson(fileIds);
  const row = await db
    .selectFrom("files")
    .select("id")
    .where((where) => where.or([where("id", "in", ids), where("origin_id", "in", ids)]))
    .where("status", "in", ["active", "dmca_removed"])
    .where("blob_state", "in", ["stored", "quarantined", "removing"])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Digestible = Pick<FileRow, "id" | "origin_id" | "name" | "sha256" | "blob_state">;

/** Replaces each file without bytes and digest by a place of the same file from whose bytes the digest can be computed. */
export async function replaceByHolders(db: Db, files: readonly Digestible[]): Promise<readonly Digestible[]> {
  const origins = files
    .filter(({ sha256, blob_state }) => sha256 === null && blob_state !== "stored")
    .flatMap(({ origin_id }) => origin_id ?? []);
  if (origins.length === 0) return files;
  const holders = await db
    .selectFrom("files")
    .select(["origin_id", "name", "sha256", "blob_state"])
    .select((select) => select.fn.min<string>("id").as("id"))
    .where("origin_id", "in", inJson(origins))
    .where("blob_state", "=", "stored")
    .groupBy("origin_id")
    .execute();
  const holderOf = new Map(holders.map((holder) => [holder.origin_id, holder]));
  return files.map((file) => (file.sha256 === null && file.blob_state !== "stored" && holderOf.get(file.origin_id)) || file);
}

/** Adds the digests of files to the blocklist, as soon as they are known. */
export async function blockDigestsOf(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  files: readonly Pick<FileRow, "id" | "name" | "sha256" | "blob_state">[],
  { reason }: { readonly reason?: string | undefined },
): Promise<Blocks> {
  const { added } = await insertBlocks(ctx, origin, { digests: files.flatMap(({ sha256 }) => sha256 ?? []), reason });
  const unknown = files.filter(({ sha256 }) => sha256 === null);
  const [blockedLater = [], notBlocked = []] = [true, false].map((isStored) =>
    unknown.filter(({ blob_state }) => (blob_state === "stored") === isStored).map(({ id, name }) => ({ id, name })),
  );
  await awaitBlocks(ctx, origin, { files: blockedLater, reason });
  return { blocked: added, blockedLater, notBlocked };
}

/** `POST /admin/shares/{shortId}/takedown`. */
export const takeDownShare: AdministratorOperation<"takeDownShare"> = async (ctx, call, { shortId, block, reason, publicReason }) => {
  const options = toTakedownOptions({ block, note: reason, publicReason });
  const taken = await ctx.transaction((ctx) => takeDownInTransaction(ctx, call, shortId, options));
  ctx.wakeJobs();
  return { ...taken, files: [...taken.files], ...toBlocksView(taken) };
};

/**
 * `POST /admin/shares/{shortId}/restore`: undoes the takedown of a share, or the one that closed it: its links work again, with the files whose bytes
 * are not removed (expiry, "Takedown"). Throws NOT_FOUND for an unknown share, CONFLICT if it was not taken down, another share's takedown closed it,
 * or nothing can be restored.
 */
export const restoreTakenDown: AdministratorOperation<"restoreTakenDown"> = async (ctx, call, { shortId: named }) => {
  const report = await commitResponse(ctx, call, async (ctx) => {
    const share = await findLinkedShare(ctx.db, named);
    const shortId = share?.short_id ?? named;
    const undoing = await getUndoing(ctx, share, shortId);
    const undone = await undoTakedowns(ctx, call, undoing);
    await recordAudit(ctx, call, {
      action: "share.restored",
      subject: shortId,
      account: share?.owner_id ?? null,
      details: { takedown: undone.id },
    });
    const restored = new Set(undone.files.map(({ id }) => id));
    const left = (await listShareFiles(ctx.db, shortId)).filter(({ id, status }) => status === "dmca_removed" && !restored.has(id));
    const lost = left.filter(({ blob_state }) => blob_state !== "stored" && blob_state !== "quarantined").length;
    return {
      shortId,
      files: undone.files.filter(({ status }) => status === "active").map(({ id, name }) => ({ id, name })),
      lost,
      stillBlocked: left.length - lost,
      ...toOthersView(undone),
    };
  });
  ctx.wakeJobs();
  return report;
};

/** Returns the takedown that the undoing of a share ends. */
async function getUndoing(ctx: TransactionCtx, share: FoundShare | undefined, shortId: string): Promise<Undoing> {
  const own = await findShareTakedown(ctx.db, shortId);
  if (own) return { shortId, takedowns: [own] };
  if (!share) throw new AppError("NOT_FOUND", `There is no share ${shortId}. Use its short ID or its link.`);
  if (share.status !== "dmca_removed") throw new AppError("CONFLICT", `The share ${shortId} was not taken down. Nothing was changed.`);
  const closing = await findClosingTakedown(ctx.db, share);
  if (!closing)
    throw new AppError(
      "CONFLICT",
      "The bytes of its files have been removed, or its takedown was undone. Ask the sender to upload them again.",
    );
  if (closing.short_id !== null) throw blockedByShare(closing.short_id);
  const files = await listShareFiles(ctx.db, shortId);
  return { shortId, takedowns: [closing], fileIds: files.map(fileIdOf) };
}

export const blockedByShare = (shortId: string): AppError =>
  new AppError("CONFLICT", `The takedown of the share ${shortId} blocks the same bytes. Bring that share back first.`);

/** Returns the first places in other shares that an undoing restores, their number, and the shares that are open again. */
export const toOthersView = ({ others, otherCount, shares }: UndoneTakedown) => ({
  otherPlaces: others.slice(0, MAX_OTHER_PLACES).map(toPlaceView),
  otherPlaceCount: otherCount,
  reopenedShares: shares.slice(0, MAX_OTHER_PLACES),
});
