import { matchesHash } from "../../auth/secrets.ts";
import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/schema.ts";
import { findFileWithShare } from "../../db/shares.ts";
import { type Actor, ownerId, scopeAllows } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { endFile } from "./end-file.ts";
import { purgeBytes } from "./purge-bytes.ts";

/** `DELETE /files/delete`: by the owner's key, or an anonymous upload's deletion token (decisions, "Expiry and removal"). */
export const deleteFile: Operation<"deleteFile"> = async (ctx, { actor }, { fileId, token, force }) => {
  const found = await findFileWithShare(ctx.db, fileId);
  if (!found || found.file.status === "deleted" || found.file.blob_state === "uploading") throw fileNotFound();
  checkRight(actor, found.file, token);
  if (!(force && found.file.owner_id !== null)) await checkMutable(ctx, found.file);
  const ended = await ctx.tx((ctx) => endFile(ctx, found.file, { status: "deleted", purgeAtMs: ctx.now() }));
  if (!ended) throw fileNotFound();
  await purgeBytes(ctx, fileId);
  return { success: true, data: { id: fileId } };
};

function checkRight(actor: Actor, file: FileRow, token: string | undefined): void {
  if (file.owner_id === null) {
    if (token === undefined) throw new AppError("WRONG_TOKEN", "Send the deletion token that the upload answered, as `token`.");
    if (!matchesHash(token, file.deletion_hash)) throw new AppError("WRONG_TOKEN", "This is not the deletion token of that file.");
    return;
  }
  if (file.owner_id !== ownerId(actor)) throw fileNotFound();
  if (actor.kind === "user" && !scopeAllows(actor.scope, "files_write")) {
    throw new AppError("INSUFFICIENT_SCOPE", "This key may only read. Use one with the scope files_write or full.");
  }
}

async function checkMutable(ctx: Ctx, file: FileRow): Promise<void> {
  const child = await ctx.db.selectFrom("file_lineage").select("file_id").where("upstream_id", "=", file.id).executeTakeFirst();
  if (file.immutable === 0 && !child) return;
  throw new AppError("IMMUTABLE", "This file is immutable, or others were made from it. Its owner can delete it with force=true.");
}

const fileNotFound = (): AppError => new AppError("NOT_FOUND", "There is no such file, or it is not yours.");
