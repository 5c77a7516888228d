import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ImportRow } from "../../db/tables/imports.ts";
import { AppError } from "../../errors.ts";
import { getOwnerActor } from "../accounts/user-actor.ts";
import type { FinalizedUpload } from "../files/file-view.ts";
import { abortUpload } from "../uploads/abort-upload.ts";
import { toStagedBlob } from "../uploads/session.ts";
import { updateOpenImport } from "./queries.ts";

/**
 * Returns the times of an import's end. `updated_at` is later than any earlier change, so that a client that polls by this time also receives the
 * end.
 */
const endTimes = (ctx: Pick<Ctx, "now">): { updated_at: number; ended_at: number } => ({ updated_at: ctx.now() + 1, ended_at: ctx.now() });

/**
 * Completes an import in the transaction that finalizes its file. Throws, and rolls the transaction back: UPLOAD_CLOSED if the import was cancelled
 * meanwhile, UNAUTHENTICATED if its owner lost the right to import.
 */
export async function completeImport(ctx: TransactionCtx, row: ImportRow, { file, share, tokens }: FinalizedUpload): Promise<void> {
  await getOwnerActor(ctx, row);
  const { unlockCode, handoffUrl } = tokens;
  const open = await updateOpenImport(ctx.db, row.id, {
    status: "completed",
    phase: "done",
    bytes_done: file.size_bytes,
    bytes_total: file.size_bytes,
    name: file.name,
    file_id: file.id,
    short_id: share.short_id,
    session_id: null,
    credentials: handoffUrl === undefined ? null : ctx.keyring.encrypt(JSON.stringify({ unlockCode, handoffUrl })),
    ...endTimes(ctx),
  });
  if (!open) throw importCancelled();
}

export const importCancelled = (): AppError => new AppError("UPLOAD_CLOSED", "This import was cancelled. Start a new one.");

/** Ends an import without a file; the caller then calls `abortImportUpload`. Resolves to false if the import had already ended. */
export async function endImport(
  ctx: Pick<Ctx, "db" | "now">,
  id: string,
  end: Pick<ImportRow, "status"> & Partial<Pick<ImportRow, "error" | "error_code">>,
): Promise<boolean> {
  return await updateOpenImport(ctx.db, id, { ...end, phase: "done", ...endTimes(ctx) });
}

/** Cancels all imports of an account; the caller then calls `abortCancelled`. Resolves to their IDs. */
export async function cancelImports(ctx: Pick<Ctx, "db" | "now">, ownerId: string): Promise<readonly string[]> {
  const cancelled = await ctx.db
    .updateTable("imports")
    .set({ status: "cancelled", phase: "done", ...endTimes(ctx) })
    .where("owner_id", "=", ownerId)
    .where("ended_at", "is", null)
    .returning("id")
    .execute();
  return cancelled.map(({ id }) => id);
}

/** Stops a cancelled import in any server instance, and deletes the received bytes. */
export async function abortCancelled(ctx: Ctx, id: string): Promise<void> {
  await abortImportUpload(ctx, id);
  ctx.imports.running.find(id)?.abort(importCancelled());
}

/** Aborts the upload of an import, if there is one. */
export async function abortImportUpload(ctx: Ctx, id: string): Promise<void> {
  const session = await ctx.db
    .selectFrom("imports")
    .innerJoin("upload_sessions", "upload_sessions.id", "imports.session_id")
    .innerJoin("files", "files.id", "upload_sessions.file_id")
    .selectAll("upload_sessions")
    .select("files.short_id")
    .where("imports.id", "=", id)
    .executeTakeFirst();
  if (!session) return;
  await abortUpload(ctx, { sessionId: session.id, fileId: session.file_id, shortId: session.short_id, staged: toStagedBlob(session) });
}
