import { matchesHash } from "../../auth/secrets.ts";
import type { TxCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { type Actor, ownerId, scopeAllows } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { endFile } from "./end-file.ts";
import { purgeBytes } from "./purge-bytes.ts";

/** `DELETE /files/delete`: by the owner's key, or an anonymous upload's deletion token (decisions, "Expiry and removal"). */
export const deleteFile: Operation<"deleteFile"> = async (ctx, { actor, remember }, { fileId, token, force }) => {
  const answer = { success: true, data: { id: fileId } } as const;
  // All in one transaction: a file that is claimed, or made immutable, at this moment must not go by the rights of before.
  await ctx.tx(async (ctx) => {
    const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst();
    if (!file || file.status === "deleted" || file.blob_state === "uploading") throw fileNotFound();
    checkRight(actor, file, token);
    if (!(force && file.owner_id !== null)) await checkMutable(ctx, file);
    if (!(await endFile(ctx, file, { status: "deleted", purgeAtMs: ctx.now() }))) throw fileNotFound();
    await remember?.(ctx, answer);
  });
  await purgeBytes(ctx, fileId);
  return answer;
};

function checkRight(actor: Actor, file: FileRow, token: string | undefined): void {
  if (file.owner_id === null) {
    if (token === undefined) throw new AppError("WRONG_TOKEN", "Send the deletion token that the upload answered, as `token`.");
    if (!matchesHash(token, file.deletion_hash)) throw new AppError("WRONG_TOKEN", "This is not the deletion token of that file.");
    return;
  }
  if (actor.kind === "anonymous" && token === undefined)
    throw new AppError("UNAUTHENTICATED", "This needs the API key of the file's owner. Send it as `Authorization: Bearer <key>`.");
  if (file.owner_id !== ownerId(actor)) throw fileNotFound();
  if (actor.kind === "user" && !scopeAllows(actor.scope, "files_write")) {
    throw new AppError("INSUFFICIENT_SCOPE", "This key may only read. Use one with the scope files_write or full.");
  }
}

/** Files that have gone themselves hold no other. */
async function checkMutable(ctx: TxCtx, file: FileRow): Promise<void> {
  const child = await ctx.db
    .selectFrom("file_lineage")
    .innerJoin("files", "files.id", "file_lineage.file_id")
    .select("file_id")
    .where("upstream_id", "=", file.id)
    .where("files.status", "=", "active")
    .executeTakeFirst();
  if (file.immutable === 0 && !child) return;
  throw new AppError("IMMUTABLE", "This file is immutable, or others were made from it. Its owner can delete it with force=true.");
}

const fileNotFound = (): AppError => new AppError("NOT_FOUND", "There is no such file, or it is not yours.");
