import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import { type Actor, ownerId, scopeAllows } from "../accounts/actor.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { closeShareRows, findNamedShare, listShareFiles } from "../shares/queries.ts";
import { endFile, endFilesOnly, REMOVE_NOW } from "./end-file.ts";
import { countOtherPlaces } from "./places.ts";
import { cancelRemovalWithoutBytes, removeFirstBytes } from "./remove-bytes.ts";
import { endOtherPlaces, insertWithdrawal } from "./withdraw.ts";

/** `DELETE /files/delete`: deletes a file or a shipment, with the owner's key or an anonymous share's deletion token (sharing, "Deleting"). */
export const deleteFile: Operation<"deleteFile"> = async (ctx, call, { fileId, token, force, allLinks = false }) => {
  let deleted: readonly string[] = [];
  // Uses one transaction, because the file may be claimed or made immutable at the same time.
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { file, share } = (await findNamedShare(ctx.db, fileId)) ?? {};
    if (!share || (file ?? share).status === "deleted" || file?.blob_state === "uploading") throw fileNotFound();
    checkDeletable(call.actor, share, token);
    // Files that were deleted from the shipment before are none of its files any more, and a file that was used up in it may go on in other links.
    const named = file ? [file] : (await listShareFiles(ctx.db, share.short_id)).filter(({ status }) => status !== "deleted");
    const originIds = allLinks ? originsOf(file ? [file] : named.filter(({ status }) => status === "active")) : [];
    if (!(force && share.owner_id !== null)) await checkMutable(ctx, named, originIds);
    const shortIds = [share.short_id, ...(await listSoldShares(ctx, originIds))];
    await checkBuyers(ctx, { shortIds }, { force, loses: "what they paid for" });
    if (file) await deletePlace(ctx, file);
    else await deleteShipment(ctx, share, named);
    const others = await deleteOtherPlaces(ctx, call, originIds);
    const entry = file
      ? ({ action: "file.deleted", subject: file.id } as const)
      : ({ action: "share.deleted", subject: share.short_id } as const);
    if (share.owner_id !== null) await recordAudit(ctx, call, { ...entry, account: share.owner_id });
    deleted = [...named.map(({ id }) => id), ...others];
    return { id: fileId, remainingLinks: allLinks ? 0 : await countRemaining(ctx, named) };
  });
  await removeFirstBytes(ctx, deleted);
  ctx.wakeJobs();
  return response;
};

interface OwnFile {
  readonly id: string;
  readonly owner: string;
  readonly force: boolean;
  readonly allLinks: boolean;
}

/**
 * Deletes a file of an account, unless it is already deleted, in one share or with `allLinks` in all. Resolves to the IDs of the first places that it
 * had. Throws NOT_FOUND, IMMUTABLE, HAS_BUYERS.
 */
export async function deleteOwn(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { id, owner, force, allLinks }: OwnFile,
): Promise<readonly string[]> {
  const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", id).where("owner_id", "=", owner).executeTakeFirst();
  if (!file || file.blob_state === "uploading") throw fileNotFound();
  const isDeleted = file.status === "deleted";
  const originIds = allLinks && !isDeleted ? originsOf([file]) : [];
  if (!force) await checkMutable(ctx, [file], originIds);
  const shortIds = [...(isDeleted ? [] : [file.short_id]), ...(await listSoldShares(ctx, originIds))];
  await checkBuyers(ctx, { shortIds }, { force, loses: "what they paid for" });
  if (!isDeleted) await deletePlace(ctx, file);
  return [id, ...(await deleteOtherPlaces(ctx, origin, originIds))];
}

/** Returns the files, by their origins, that have or had several places. */
export const originsOf = (files: readonly FileRow[]): readonly string[] => [...new Set(files.flatMap(({ origin_id }) => origin_id ?? []))];

/** Lists the shares with purchases among those that contain an active place of files. */
export async function listSoldShares({ db }: TransactionCtx, originIds: readonly string[]): Promise<readonly string[]> {
  if (originIds.length === 0) return [];
  const shares = await db
    .selectFrom("files")
    .select("files.short_id")
    .distinct()
    .where("files.origin_id", "in", inJson(originIds))
    .where("files.status", "=", "active")
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("purchases").select("purchases.id").whereRef("purchases.short_id", "=", "files.short_id")),
    )
    .execute();
  return shares.map(({ short_id }) => short_id);
}

/**
 * Deletes the places of files in all shares: the first ones in this transaction, the others by a durable job. Resolves to the IDs of the first ones.
 */
export async function deleteOtherPlaces(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  originIds: readonly string[],
): Promise<readonly string[]> {
  if (originIds.length === 0) return [];
  const deletion = await insertWithdrawal(ctx, { kind: "deletion", fileIds: originIds, removeAtMs: REMOVE_NOW });
  return await endOtherPlaces(ctx, origin, deletion);
}

/** Counts the active places that the deleted files have in other shares. */
const countRemaining = (ctx: TransactionCtx, places: readonly FileRow[]): Promise<number> =>
  countOtherPlaces(
    ctx.db,
    places.flatMap(({ origin_id }) => origin_id ?? []),
    places.map(({ id }) => id),
  );

/** Deletes a place, and its share if that has no other active file. Throws NOT_FOUND if its status does not allow it. */
async function deletePlace(ctx: TransactionCtx, place: FileRow): Promise<void> {
  if (place.status === "deleted" || place.status === "dmca_removed") throw fileNotFound();
  await endFile(ctx, place, { status: "deleted", removeAtMs: REMOVE_NOW });
}

/** Deletes a shipment with all its files. Cleanup aborts the uploads of unfinished files. */
async function deleteShipment(ctx: TransactionCtx, { short_id, status }: ShareRow, files: readonly FileRow[]): Promise<void> {
  if (status === "dmca_removed") throw fileNotFound();
  await endFilesOnly(ctx, files, { status: "deleted", removeAtMs: REMOVE_NOW });
  await closeShareRows(ctx, short_id, "deleted");
  await cancelRemovalWithoutBytes(ctx.db, short_id);
}

function checkDeletable(actor: Actor, share: ShareRow, token: string | undefined): void {
  if (share.owner_id === null) {
    if (token === undefined)
      throw new AppError("WRONG_TOKEN", "A deletion token is required. Send the upload's `deletionToken` as `token`.");
    if (!matchesHash(token, share.deletion_hash))
      throw new AppError("WRONG_TOKEN", "The deletion token does not belong to this file or shipment. Check the token.");
    return;
  }
  if (actor.kind === "anonymous" && token === undefined)
    throw new AppError("UNAUTHENTICATED", "The owner's API key is required. Send it as `Authorization: Bearer <key>`.");
  if (share.owner_id !== ownerId(actor)) throw fileNotFound();
  if (actor.kind === "user" && !scopeAllows(actor.scope, "files_write")) {
    throw new AppError("INSUFFICIENT_SCOPE", "This key can only read. Use a key with the scope files_write or full.");
  }
}

/**
 * Throws IMMUTABLE if a file is immutable or another active file was made from it. `originIds` are those of the files that are deleted in all shares,
 * so that their other active places count too.
 */
export async function checkMutable(
  ctx: TransactionCtx,
  files: readonly Pick<FileRow, "id" | "immutable" | "status">[],
  originIds: readonly string[],
): Promise<void> {
  const isFixed = files.some(({ immutable, status }) => immutable === 1 && status !== "deleted");
  const ids = inJson(files.map(({ id }) => id));
  const { rows } = await sql`WITH ended AS (
      SELECT id, immutable FROM files WHERE id IN ${ids} AND status <> 'deleted'
      UNION ALL SELECT id, immutable FROM files WHERE origin_id IN ${inJson(originIds)} AND status = 'active' AND id NOT IN ${ids}
    )
    SELECT 1 FROM ended WHERE (immutable = 1 AND id NOT IN ${ids}) OR EXISTS (
      SELECT 1 FROM file_lineage JOIN files AS made ON made.id = file_lineage.file_id
      WHERE file_lineage.upstream_id = ended.id AND made.status = 'active' AND made.id NOT IN ${ids}
        AND (made.origin_id IS NULL OR made.origin_id NOT IN ${inJson(originIds)})
    ) LIMIT 1`.execute(ctx.db);
  if (!isFixed && rows.length === 0) return;
  throw new AppError("IMMUTABLE", "This file is immutable, or other files were made from it. Its owner can delete it with force=true.");
}

const fileNotFound = (): AppError => notFound("file or shipment", "List your files to find its ID.", "in your account");

export interface DeletableShare {
  readonly kind: ShareRow["kind"];
  readonly name: string;
  readonly sizeBytes: number;
}

/** Finds the anonymous upload or shipment that a deletion token deletes; undefined if there is none or the token is wrong. */
export async function findDeletable(ctx: Ctx, { fileId, token }: { fileId: string; token: string }): Promise<DeletableShare | undefined> {
  const { file, share } = (await findNamedShare(ctx.db, fileId)) ?? {};
  if (!share || (file ?? share).status !== "active" || file?.blob_state === "uploading" || share.owner_id !== null) return undefined;
  if (!matchesHash(token, share.deletion_hash)) return undefined;
  if (file) return { kind: "file", name: file.name, sizeBytes: file.size_bytes };
  const active = (await listShareFiles(ctx.db, share.short_id)).filter(({ status }) => status === "active");
  return { kind: "shipment", name: share.title ?? share.name, sizeBytes: active.reduce((sum, { size_bytes }) => sum + size_bytes, 0) };
}
