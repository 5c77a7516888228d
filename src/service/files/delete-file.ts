import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError, notFound } from "../../errors.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import { type Actor, ownerId, requireUser, scopeAllows } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { closeShareRows, findNamedShare, listShareFiles } from "../shares/queries.ts";
import { changeEach } from "./change-each.ts";
import { closeSharesIfEmpty, endFilesOnly, REMOVE_NOW } from "./end-file.ts";
import { countOtherPlaces } from "./places.ts";
import { cancelRemovalWithoutBytes, removeFirstBytes } from "./remove-bytes.ts";

/** `DELETE /files/delete`: deletes a file or a shipment, with the owner's key or an anonymous share's deletion token (sharing, "Deleting"). */
export const deleteFile: Operation<"deleteFile"> = async (ctx, call, { fileId, token, force, allLinks = false }) => {
  let deleted: readonly string[] = [];
  // Uses one transaction, because the file may be claimed or made immutable at the same time.
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { file, share } = (await findNamedShare(ctx.db, fileId)) ?? {};
    if (!share || (file ?? share).status === "deleted" || file?.blob_state === "uploading") throw fileNotFound();
    checkDeletable(call.actor, share, token);
    const named = file ? [file] : await listShareFiles(ctx.db, share.short_id);
    const files = allLinks ? await withOtherPlaces(ctx, named) : named;
    if (!(force && share.owner_id !== null)) await checkMutable(ctx, files);
    await checkBuyers(ctx, { shortIds: sharesOf(files, share.short_id) }, { force, loses: "what they paid for" });
    if (!file) await deleteShipment(ctx, share, named);
    await deletePlaces(ctx, file ? files : files.slice(named.length), file);
    const entry = file
      ? ({ action: "file.deleted", subject: file.id } as const)
      : ({ action: "share.deleted", subject: share.short_id } as const);
    if (share.owner_id !== null) await recordAudit(ctx, call, { ...entry, account: share.owner_id });
    deleted = files.map(({ id }) => id);
    return { id: fileId, remainingLinks: allLinks ? 0 : await countRemaining(ctx, files) };
  });
  await removeFirstBytes(ctx, deleted);
  return response;
};

/** `POST /files/delete-many`: deletes files of the caller independently of each other. */
export const deleteFiles: Operation<"deleteFiles"> = async (ctx, call, { fileIds, force = false, allLinks = false }) => {
  const owner = requireUser(call.actor).userId;
  const ended: string[] = [];
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { done, refused } = await changeEach(fileIds, async (id) => {
      ended.push(...(await deleteOwn(ctx, { id, owner, force, allLinks })));
      return id;
    });
    if (done.length > 0)
      await recordAudit(ctx, call, { action: "account.files_deleted", subject: owner, account: owner, details: { count: done.length } });
    return { deleted: done, refused };
  });
  await removeFirstBytes(ctx, ended);
  return response;
};

interface OwnFile {
  readonly id: string;
  readonly owner: string;
  readonly force: boolean;
  readonly allLinks: boolean;
}

/**
 * Deletes a file of an account, unless it is already deleted, in one share or with `allLinks` in all. Resolves to the IDs of the places that it had.
 * Throws NOT_FOUND, IMMUTABLE, HAS_BUYERS.
 */
async function deleteOwn(ctx: TransactionCtx, { id, owner, force, allLinks }: OwnFile): Promise<readonly string[]> {
  const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", id).where("owner_id", "=", owner).executeTakeFirst();
  if (!file || file.blob_state === "uploading") throw fileNotFound();
  const places = allLinks ? await withOtherPlaces(ctx, [file]) : [file];
  if (places.every(({ status }) => status === "deleted")) return [id];
  if (!force) await checkMutable(ctx, places);
  await checkBuyers(ctx, { shortIds: sharesOf(places) }, { force, loses: "what they paid for" });
  await deletePlaces(ctx, places, file.status === "deleted" ? undefined : file);
  return places.map((place) => place.id);
}

/** Returns places of files, followed by the other places of these files that have not been deleted or taken down. */
async function withOtherPlaces(ctx: TransactionCtx, places: readonly FileRow[]): Promise<readonly FileRow[]> {
  const origins = [...new Set(places.flatMap(({ origin_id }) => origin_id ?? []))];
  if (origins.length === 0) return places;
  const others = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where("origin_id", "in", inJson(origins))
    .where("id", "not in", inJson(places.map(({ id }) => id)))
    .where("status", "in", ["active", "expired"])
    .execute();
  return [...places, ...others];
}

const sharesOf = (places: readonly FileRow[], ...others: readonly string[]): readonly string[] => [
  ...new Set([...others, ...places.map(({ short_id }) => short_id)]),
];

/** Counts the active places that the deleted files have in other shares. */
const countRemaining = (ctx: TransactionCtx, places: readonly FileRow[]): Promise<number> =>
  countOtherPlaces(
    ctx.db,
    places.flatMap(({ origin_id }) => origin_id ?? []),
    places.map(({ id }) => id),
  );

/** Number of places that one statement ends. */
const BATCH_SIZE = 1000;

/** Deletes places, and the shares that have no other active file. Throws NOT_FOUND if the status of the place `named` does not allow it. */
async function deletePlaces(ctx: TransactionCtx, places: readonly FileRow[], named: FileRow | undefined): Promise<void> {
  if (named?.status === "deleted" || named?.status === "dmca_removed") throw fileNotFound();
  for await (const batch of inBatches(places, BATCH_SIZE)) {
    await endFilesOnly(ctx, batch, { status: "deleted", removeAtMs: REMOVE_NOW });
    await closeSharesIfEmpty(ctx, sharesOf(batch), "deleted");
  }
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

/** Throws IMMUTABLE if a file is immutable or another active file was made from it. */
async function checkMutable(ctx: TransactionCtx, files: readonly FileRow[]): Promise<void> {
  const ids = inJson(files.map(({ id }) => id));
  const child = await ctx.db
    .selectFrom("file_lineage")
    .innerJoin("files", "files.id", "file_lineage.file_id")
    .select("file_id")
    .where("upstream_id", "in", ids)
    .where("file_id", "not in", ids)
    .where("files.status", "=", "active")
    .executeTakeFirst();
  if (!child && files.every(({ immutable, status }) => immutable === 0 || status === "deleted")) return;
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
