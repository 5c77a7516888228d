import type { Ctx } from "../../context.ts";
import { readAlias } from "../../contract/alias-form.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { toSearchKey } from "../../lib/text/file-name.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { findNamedUser } from "../accounts/named-user.ts";
import type { AuditOrigin } from "../audit-log/record-audit.ts";
import type { Input } from "../contract.ts";
import { changeEach } from "../files/change-each.ts";
import { isAmongOldest } from "../files/places.ts";
import { isReady } from "../files/ready.ts";
import type { AdministratorOperation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { type RescannedFile, rescan } from "../scanning/rescan.ts";
import { findShareOfLink } from "../shares/queries.ts";
import { isBlocklisted, isShareOpen, toFailureReason, toScanStatus } from "../shares/share-state.ts";
import type { AdminFileView } from "./files-contract.ts";
import { type AdminFileRow, type AllFilesFilter, listAllFileIds, listNamedFileIds, loadAdminFiles } from "./files-queries.ts";
import { MAX_OTHER_PLACES, toPlaceView } from "./take-down.ts";

const MAX_WORDS = 8;

/** `GET /admin/files`: lists files of all accounts. The matches of an ID or a digest are a single page. */
export const listAllFiles: AdministratorOperation<"listAllFiles"> = async (ctx, _call, input) => {
  const pageSize = clampLimit(input.limit, { defaultLimit: 50, maxLimit: 200 });
  const named = await toNamed(ctx.db, input.search);
  const ids = named === undefined ? [] : await listNamedFileIds(ctx.db, named, 200);
  if (ids.length > 0) return { success: true, data: await loadViews(ctx, ids), nextCursor: null };
  const filter = await toFilter(ctx.db, input);
  if (filter === undefined) return { success: true, data: [], nextCursor: null };
  const found = await listAllFileIds(ctx.db, { ...filter, limit: pageSize + 1 });
  const rows = await loadAdminFiles(ctx.db, found.slice(0, pageSize));
  const last = rows.at(-1)?.file;
  const value = last && (filter.sort === "size" ? last.size_bytes : last.created_at);
  return {
    success: true,
    data: await toAdminFiles(ctx, rows),
    nextCursor: last && found.length > pageSize ? `${value}_${last.id}` : null,
  };
};

/** Returns the search text as an ID, short ID or digest, also from a link, which may have an alias; undefined for other text. */
async function toNamed(db: Db, search = ""): Promise<string | undefined> {
  const text = search.trim();
  const linked = /\/d\/([^/?#]+)/.exec(text)?.[1];
  if (linked !== undefined && readAlias(linked) !== undefined) return (await findShareOfLink(db, linked))?.short_id;
  const named = linked ?? text;
  return /^[0-9A-Za-z]{6,64}$/.test(named) ? named : undefined;
}

/** Converts the query to a filter; undefined if the named account does not exist. Throws CONFLICT if several accounts match. */
async function toFilter(db: Db, { search = "", owner, state, sort = "created", order, cursor }: Input<"listAllFiles">) {
  const named = owner?.trim() ?? "";
  const ownerId = named === "" ? undefined : named === "anonymous" ? null : (await findNamedUser(db, named))?.id;
  if (named !== "" && ownerId === undefined) return undefined;
  const words = toSearchKey(search)
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
  const [value = "", id = ""] = cursor?.split("_") ?? [];
  const after = cursor === undefined ? undefined : { value: Number(value), id };
  return { ownerId, state, words, sort, isAscending: order === "asc", after } satisfies Omit<AllFilesFilter, "limit">;
}

const loadViews = async (ctx: Pick<Ctx, "db" | "now">, ids: readonly string[]): Promise<AdminFileView[]> =>
  await toAdminFiles(ctx, await loadAdminFiles(ctx.db, ids));

/** Returns files as administrators see them, in the same order. */
export async function toAdminFiles(ctx: Pick<Ctx, "db" | "now">, rows: readonly AdminFileRow[]): Promise<AdminFileView[]> {
  const others = await readOtherPlacesOfEach(
    ctx.db,
    rows.map(({ file }) => file),
  );
  return rows.map((row) => toAdminFile(ctx, row, others.get(row.file.id)));
}

interface OtherPlaces {
  readonly places: AdminFileView["otherPlaces"];
  readonly total: number;
}

/** Reads the active places that files have in other shares, by the ID of the file, with two statements for any number of files. */
async function readOtherPlacesOfEach(db: Db, files: readonly FileRow[]): Promise<ReadonlyMap<string, OtherPlaces>> {
  const originIds = [...new Set(files.flatMap(({ origin_id }) => origin_id ?? []))];
  if (originIds.length === 0) return new Map();
  const [places, totals] = await Promise.all([
    db
      .selectFrom("files")
      .select(["id", "short_id", "name", "origin_id"])
      // Reads one more, because the file itself can be among them.
      .where(isAmongOldest(originIds, MAX_OTHER_PLACES + 1))
      .orderBy("placed_at")
      .orderBy("id")
      .execute(),
    db
      .selectFrom("files")
      .select((select) => ["origin_id", select.fn.countAll<number>().as("total")])
      .where("origin_id", "in", inJson(originIds))
      .where("status", "=", "active")
      .groupBy("origin_id")
      .execute(),
  ]);
  const placesOf = Map.groupBy(places, ({ origin_id }) => origin_id);
  const totalOf = new Map(totals.map(({ origin_id, total }) => [origin_id, total]));
  return new Map(
    files.map(({ id, origin_id, status }) => {
      const others = (placesOf.get(origin_id) ?? []).filter((place) => place.id !== id).slice(0, MAX_OTHER_PLACES);
      return [id, { places: others.map(toPlaceView), total: (totalOf.get(origin_id) ?? 0) - (status === "active" ? 1 : 0) }];
    }),
  );
}

function toAdminFile(
  ctx: Pick<Ctx, "now">,
  { file, share, owner }: AdminFileRow,
  others: OtherPlaces = { places: [], total: 0 },
): AdminFileView {
  const isLimited = share.max_downloads !== null || share.price_cents !== null;
  return {
    id: file.id,
    shortId: file.short_id,
    name: file.name,
    sizeBytes: file.size_bytes,
    contentType: file.content_type,
    sha256: file.sha256,
    status: file.status,
    isUsedUp: file.status === "expired" && share.max_downloads !== null && file.download_count >= share.max_downloads,
    isUploading: file.blob_state === "uploading",
    scanStatus: toScanStatus(file),
    failureReason: toFailureReason(file),
    scanDetail: file.scan_detail,
    isBlocklisted: isBlocklisted(file),
    encrypted: file.is_encrypted === 1,
    owner,
    downloads: file.download_count,
    createdAt: toIso(file.created_at),
    expiresAt: toIso(share.expires_at),
    isOpen: file.status === "active" && isReady(file) && isShareOpen(ctx, share) && share.unlock_hash === null && !isLimited,
    otherPlaces: others.places,
    otherPlaceCount: others.total,
    hasBytes: file.blob_state === "stored" || file.blob_state === "quarantined",
  };
}

/** `POST /admin/files/{fileId}/rescan`. */
export const rescanFile: AdministratorOperation<"rescanFile"> = async (ctx, call, { fileId }) => {
  const queued = await queueRescan(ctx, call, fileId);
  ctx.wakeJobs();
  return queued;
};

/** `POST /admin/files/rescan`. */
export const rescanFiles: AdministratorOperation<"rescanFiles"> = async (ctx, call, { fileIds }) => {
  try {
    const { done, refused } = await changeEach(fileIds, (fileId) => queueRescan(ctx, call, fileId));
    return { queued: done, refused };
  } finally {
    // Wakes the job runner even after an error, because scans that were queued before it remain queued.
    ctx.wakeJobs();
  }
};

/** Queues a rescan of a file. Throws NOT_FOUND, and CONFLICT with the reason if the file cannot be rescanned. */
async function queueRescan(ctx: Ctx, origin: AuditOrigin, fileId: string): Promise<RescannedFile> {
  const file = await ctx.db.selectFrom("files").select("id").where("id", "=", fileId).executeTakeFirst();
  if (!file) throw noSuchFile(fileId);
  const { queued, skipped } = await rescan(ctx, origin, fileId);
  const [done] = queued;
  if (done) return done;
  throw new AppError("CONFLICT", `The file cannot be scanned again: ${skipped[0]?.reason ?? "it was deleted meanwhile"}.`);
}

export const noSuchFile = (id: string): AppError => new AppError("NOT_FOUND", `There is no file ${id}. Use the ID of a file.`);
