import type { Ctx, TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets.ts";
import { type Actor, ownerId, scopeAllows } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { endFile } from "./end-file.ts";
import { removeBytes } from "./remove-bytes.ts";

/** `DELETE /files/delete`: with the owner's key or an anonymous upload's deletion token (sharing, "Deleting"). */
export const deleteFile: Operation<"deleteFile"> = async (ctx, call, { fileId, token, force }) => {
  // One transaction: the file may be claimed or made immutable at the same time.
  const response = await commitResponse(ctx, call, async (ctx) => {
    const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst();
    if (!file || file.status === "deleted" || file.blob_state === "uploading") throw fileNotFound();
    checkDeletable(call.actor, file, token);
    if (!(force && file.owner_id !== null)) await checkMutable(ctx, file);
    if (!(await endFile(ctx, file, { status: "deleted", removeAtMs: ctx.now() }))) throw fileNotFound();
    return { id: fileId };
  });
  await removeBytes(ctx, fileId);
  return response;
};

function checkDeletable(actor: Actor, file: FileRow, token: string | undefined): void {
  if (file.owner_id === null) {
    if (token === undefined)
      throw new AppError("WRONG_TOKEN", "A deletion token is required. Send the upload's `deletionToken` as `token`.");
    if (!matchesHash(token, file.deletion_hash))
      throw new AppError("WRONG_TOKEN", "The deletion token does not belong to this file. Check the token.");
    return;
  }
  if (actor.kind === "anonymous" && token === undefined)
    throw new AppError("UNAUTHENTICATED", "The owner's API key is required. Send it as `Authorization: Bearer <key>`.");
  if (file.owner_id !== ownerId(actor)) throw fileNotFound();
  if (actor.kind === "user" && !scopeAllows(actor.scope, "files_write")) {
    throw new AppError("INSUFFICIENT_SCOPE", "This key can only read. Use a key with the scope files_write or full.");
  }
}

/** Throws IMMUTABLE if the file is immutable or an active file was made from it. */
async function checkMutable(ctx: TransactionCtx, file: FileRow): Promise<void> {
  const child = await ctx.db
    .selectFrom("file_lineage")
    .innerJoin("files", "files.id", "file_lineage.file_id")
    .select("file_id")
    .where("upstream_id", "=", file.id)
    .where("files.status", "=", "active")
    .executeTakeFirst();
  if (file.immutable === 0 && !child) return;
  throw new AppError("IMMUTABLE", "This file is immutable, or other files were made from it. Its owner can delete it with force=true.");
}

const fileNotFound = (): AppError => notFound("file", "List your files to find its ID.", "in your account");

export interface DeletableFile {
  readonly name: string;
  readonly sizeBytes: number | null;
}

/** Finds the anonymous upload that a deletion token deletes; undefined if there is none or the token is wrong. */
export async function findDeletable(ctx: Ctx, { fileId, token }: { fileId: string; token: string }): Promise<DeletableFile | undefined> {
  const file = await ctx.db
    .selectFrom("files")
    .select(["name", "size_bytes", "status", "blob_state", "owner_id", "deletion_hash"])
    .where("id", "=", fileId)
    .executeTakeFirst();
  if (!file || file.status !== "active" || file.blob_state === "uploading" || file.owner_id !== null) return undefined;
  return matchesHash(token, file.deletion_hash) ? { name: file.name, sizeBytes: file.size_bytes } : undefined;
}
