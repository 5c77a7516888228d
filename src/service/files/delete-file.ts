import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import { type Actor, ownerId, requireUser, scopeAllows } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { closeShareRows, findNamedShare, listShareFiles } from "../shares/queries.ts";
import { changeEach } from "./change-each.ts";
import { endFile, endFilesOnly, REMOVE_NOW } from "./end-file.ts";
import { cancelRemovalWithoutBytes, removeFirstBytes } from "./remove-bytes.ts";

/** `DELETE /files/delete`: deletes a file or a shipment, with the owner's key or an anonymous share's deletion token (sharing, "Deleting"). */
export const deleteFile: Operation<"deleteFile"> = async (ctx, call, { fileId, token, force }) => {
  let deleted: readonly string[] = [];
  // Uses one transaction, because the file may be claimed or made immutable at the same time.
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { file, share } = (await findNamedShare(ctx.db, fileId)) ?? {};
    if (!share || (file ?? share).status === "deleted" || file?.blob_state === "uploading") throw fileNotFound();
    checkDeletable(call.actor, share, token);
    const files = file ? [file] : await listShareFiles(ctx.db, share.short_id);
    if (!(force && share.owner_id !== null)) await checkMutable(ctx, files);
    await checkBuyers(ctx, { shortIds: [share.short_id] }, { force, loses: "what they paid for" });
    await (file ? deleteOne(ctx, file) : deleteShipment(ctx, share, files));
    const entry = file
      ? ({ action: "file.deleted", subject: file.id } as const)
      : ({ action: "share.deleted", subject: share.short_id } as const);
    if (share.owner_id !== null) await recordAudit(ctx, call, { ...entry, account: share.owner_id });
    deleted = files.map(({ id }) => id);
    return { id: fileId };
  });
  await removeFirstBytes(ctx, deleted);
  return response;
};

/** `POST /files/delete-many`: deletes files of the caller independently of each other. */
export const deleteFiles: Operation<"deleteFiles"> = async (ctx, call, { fileIds, force = false }) => {
  const owner = requireUser(call.actor).userId;
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { done, refused } = await changeEach(fileIds, (id) => deleteOwn(ctx, { id, owner, force }));
    if (done.length > 0)
      await recordAudit(ctx, call, { action: "account.files_deleted", subject: owner, account: owner, details: { count: done.length } });
    return { deleted: done, refused };
  });
  await removeFirstBytes(ctx, response.deleted);
  return response;
};

interface OwnFile {
  readonly id: string;
  readonly owner: string;
  readonly force: boolean;
}

/** Deletes a file of an account, unless it is already deleted. Resolves to its ID. Throws NOT_FOUND, IMMUTABLE, HAS_BUYERS. */
async function deleteOwn(ctx: TransactionCtx, { id, owner, force }: OwnFile): Promise<string> {
  const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", id).where("owner_id", "=", owner).executeTakeFirst();
  if (!file || file.blob_state === "uploading") throw fileNotFound();
  if (file.status === "deleted") return id;
  if (!force) await checkMutable(ctx, [file]);
  await checkBuyers(ctx, { shortIds: [file.short_id] }, { force, loses: "what they paid for" });
  await deleteOne(ctx, file);
  return id;
}

async function deleteOne(ctx: TransactionCtx, file: FileRow): Promise<void> {
  if (!(await endFile(ctx, file, { status: "deleted", removeAtMs: REMOVE_NOW }))) throw fileNotFound();
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
