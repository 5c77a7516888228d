import type { Ctx, TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { closeSharesIfEmpty, endFilesOnly } from "../files/end-file.ts";
import { listOtherPlaces } from "../files/places.ts";
import { cancelRemovalWithoutBytes } from "../files/remove-bytes.ts";
import { restoreShare } from "../files/restore-share.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { awaitBlocks } from "../scanning/awaited-blocks.ts";
import { insertBlocks } from "../scanning/blocklist.ts";
import { closeShareRows, findLinkedShare, listShareFiles } from "../shares/queries.ts";

/** Minimum retention of bytes whose digest the server still has to compute. */
const DIGEST_MS = DAY_MS;

export interface TakedownReport {
  readonly shortId: string;
  readonly status: "dmca_removed";
  readonly files: readonly NamedFile[];
  /** The places of these files in other shares, which were taken down with them. */
  readonly otherPlaces: readonly PlaceView[];
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

/** Returns the views of the places that were active, because the others' links had ended. */
export const toPlaceViews = (places: readonly FileRow[]): PlaceView[] =>
  places.filter(({ status }) => status === "active").map((place) => toPlaceView(place));

export const toPlaceView = ({ id, short_id, name }: FileRow): PlaceView => ({ id, shortId: short_id, name });

/** Closes the shares of places that were taken down, if they have no active file. */
export const closeOtherShares = (ctx: TransactionCtx, places: readonly FileRow[]): Promise<void> =>
  closeSharesIfEmpty(ctx, [...new Set(places.map(({ short_id }) => short_id))], "dmca_removed");

interface NamedFile {
  readonly id: string;
  readonly name: string;
}

export interface TakedownOptions {
  /** Adds the digests of the share's files to the blocklist, with a note. */
  readonly block?: { readonly reason?: string | undefined } | undefined;
}

/**
 * Takes down a share and its files: 451 on pages, 404 in the API and for signed URLs (expiry, "Takedown"). A link that redirects to a
 * shipment takes down the shipment. Repeating the call is safe. Throws NOT_FOUND for an unknown or deleted share. Call `ctx.wakeJobs()` afterwards.
 */
export async function takeDownInTransaction(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  shareId: string,
  { block }: TakedownOptions,
): Promise<TakedownReport> {
  const share = await findLinkedShare(ctx.db, shareId);
  if (!share) throw new AppError("NOT_FOUND", `There is no share ${shareId}. Use its short ID or its link.`);
  const shortId = share.short_id;
  if (share.status === "deleted")
    throw new AppError("NOT_FOUND", `The share ${shareId} was deleted by its owner. There is nothing to take down.`);
  const present = (await listShareFiles(ctx.db, shortId)).filter(({ status }) => status !== "deleted");
  const others = await listOtherPlaces(ctx.db, present);
  await endFilesOnly(ctx, [...present, ...others], { status: "dmca_removed", removeAtMs: removalTime(ctx, { block }) });
  await closeShareRows(ctx, shortId, "dmca_removed");
  await closeOtherShares(ctx, others);
  await cancelRemovalWithoutBytes(ctx.db, shortId);
  const files = await listShareFiles(ctx.db, shortId);
  const blocks = block ? await blockDigestsOf(ctx, origin, files, block) : NO_BLOCKS;
  await recordAudit(ctx, origin, { action: "share.taken_down", subject: shortId, account: share.owner_id });
  return {
    shortId,
    status: "dmca_removed",
    files: files.map(({ id, name }) => ({ id, name })),
    otherPlaces: toPlaceViews(others),
    bytesUntil: toIso(Math.max(0, ...files.map((file) => file.remove_at ?? 0)) || ctx.now()),
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

/** Adds the digests of files to the blocklist, as soon as they are known. */
export async function blockDigestsOf(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  files: readonly FileRow[],
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
export const takeDownShare: AdministratorOperation<"takeDownShare"> = async (ctx, call, { shortId, block, reason }) => {
  const options = block ? { block: { reason: reason ?? undefined } } : {};
  const taken = await ctx.transaction((ctx) => takeDownInTransaction(ctx, call, shortId, options));
  ctx.wakeJobs();
  return { ...taken, files: [...taken.files], otherPlaces: [...taken.otherPlaces], ...toBlocksView(taken) };
};

/**
 * `POST /admin/shares/{shortId}/restore`: the share's links work again, with the files whose bytes are not removed (expiry, "Takedown"). Throws
 * NOT_FOUND for an unknown share, CONFLICT if it was not taken down or nothing of it is left.
 */
export const restoreTakenDown: AdministratorOperation<"restoreTakenDown"> = async (ctx, call, { shortId: named }) => {
  const report = await commitResponse(ctx, call, async (ctx) => {
    const share = await findLinkedShare(ctx.db, named);
    if (!share) throw new AppError("NOT_FOUND", `There is no share ${named}. Use its short ID or its link.`);
    if (share.status !== "dmca_removed") throw new AppError("CONFLICT", `The share ${named} was not taken down. Nothing was changed.`);
    const { files: restored } = await restoreShare(ctx, share);
    await recordAudit(ctx, call, { action: "share.restored", subject: share.short_id, account: share.owner_id });
    const all = await listShareFiles(ctx.db, share.short_id);
    const lost = all.filter(({ status }) => status === "dmca_removed").length;
    return { shortId: share.short_id, files: restored.map(({ id, name }) => ({ id, name })), lost };
  });
  ctx.wakeJobs();
  return report;
};
