import { getOwnerActor } from "../../auth/owner-actor.ts";
import type { Ctx, TxCtx } from "../../context.ts";
import { updateOpenImport } from "../../db/imports.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import { AppError } from "../../errors.ts";
import { abandonUpload } from "../uploads/abandon-upload.ts";
import type { FinishedUpload } from "../uploads/finish-upload.ts";
import { stagedBlob } from "../uploads/session.ts";

/** When an import ended: after all that was told of it, so that whoever follows it by time sees the end too. */
const endTimes = (ctx: Pick<Ctx, "now">): { updated_at: number; ended_at: number } => ({ updated_at: ctx.now() + 1, ended_at: ctx.now() });

/**
 * Ends an import with its file, in the transaction that makes the file: there is never one without the other. Throws UPLOAD_CLOSED, which
 * undoes the file, where the import was cancelled meanwhile, and UNAUTHENTICATED where whoever began it may not any more.
 */
export async function completeImport(ctx: TxCtx, row: ImportRow, { file, share, tokens }: FinishedUpload): Promise<void> {
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
    credentials: unlockCode === undefined ? null : ctx.keyring.encrypt(JSON.stringify({ unlockCode, handoffUrl })),
    ...endTimes(ctx),
  });
  if (!open) throw new AppError("UPLOAD_CLOSED", "This import was cancelled.");
  if (row.claim_hash === null) return;
  // The tokens that were told when the import began.
  const { claim_hash, deletion_hash } = row;
  await ctx.db.updateTable("files").set({ claim_hash, deletion_hash }).where("id", "=", file.id).execute();
}

export type ImportStop =
  | { readonly status: "failed"; readonly error: AppError }
  /** `onStopped` runs in the transaction that ends it. */
  | { readonly status: "cancelled"; readonly onStopped: (ctx: TxCtx) => Promise<void> };

/** Ends an import without a file, and undoes what has arrived. False where it was over already. */
export async function stopImport(ctx: Ctx, id: string, end: ImportStop): Promise<boolean> {
  const failure = end.status === "failed" ? { error: end.error.message, error_code: end.error.code } : {};
  const stopped = await ctx.tx(async (ctx) => {
    const isOpen = await updateOpenImport(ctx.db, id, { status: end.status, phase: "done", ...failure, ...endTimes(ctx) });
    if (isOpen && end.status === "cancelled") await end.onStopped(ctx);
    return isOpen;
  });
  if (stopped) await abandonArrived(ctx, id);
  return stopped;
}

/** Undoes what an import has received so far; fine where there is nothing. */
export async function abandonArrived(ctx: Ctx, id: string): Promise<void> {
  const found = await ctx.db
    .selectFrom("imports")
    .innerJoin("upload_sessions", "upload_sessions.id", "imports.session_id")
    .innerJoin("files", "files.id", "upload_sessions.file_id")
    .selectAll("upload_sessions")
    .select("files.short_id")
    .where("imports.id", "=", id)
    .executeTakeFirst();
  if (!found) return;
  await abandonUpload(ctx, { sessionId: found.id, fileId: found.file_id, shortId: found.short_id, staged: stagedBlob(found) });
}
