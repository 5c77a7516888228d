import type { StagedBlob } from "../../blobs/store.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import { AppError, toAppError } from "../../errors.ts";
import { cancelReservation } from "../accounts/quotas.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { deleteAbortedSubmission } from "../requests/empty-submissions.ts";
import { changeReceived } from "../requests/limits.ts";
import { findRemovalStop } from "../storage/store-pair.ts";
import { getSession, isInterrupted, toStagedBlob } from "./session.ts";

/** `POST /files/multipart/abort`: deletes the upload, its bytes and its share link. */
export const abortMultipart: Operation<"abortMultipart"> = async (ctx, call, input) => {
  const { session, file } = await getSession(ctx.db, call.actor, input);
  const upload = { sessionId: session.id, fileId: file.id, shortId: file.short_id };
  const response = await commitResponse(ctx, call, async (ctx) => {
    if (!(await deleteUpload(ctx, upload, ["open"]))) throw uploadNotOpen();
    return { success: true } as const;
  });
  await discardUnlessStopped(ctx, toStagedBlob(session));
  return response;
};

const uploadNotOpen = (): AppError =>
  new AppError("UPLOAD_CLOSED", "This upload is being completed or was completed. Delete the file instead.");

/** The identity of an upload and its bytes. */
export interface AbortInput {
  readonly sessionId: string;
  readonly fileId: string;
  readonly shortId: string;
  readonly staged: StagedBlob;
}

/**
 * Removes the bytes of an upload, unless removal is stopped for the store. If the store does not belong to the database, the upload may be a file
 * meanwhile.
 */
export async function discardUnlessStopped(ctx: Ctx, staged: StagedBlob): Promise<void> {
  if (!(await findRemovalStop(ctx))) await ctx.blobs.discard(staged);
}

/**
 * Aborts an upload: deletes its rows, its reservation and, unless removal is stopped for the store, its bytes. Does nothing to a completed upload.
 * Resolves to whether this call deleted the rows.
 */
export const abortUpload = (ctx: Ctx, upload: AbortInput): Promise<boolean> => abort(ctx, upload, discardUnlessStopped);

/** Aborts an upload that this call has created, so that no other process knows its bytes. */
const abortOwnUpload = (ctx: Ctx, upload: AbortInput): Promise<boolean> => abort(ctx, upload, (ctx, staged) => ctx.blobs.discard(staged));

async function abort(ctx: Ctx, upload: AbortInput, discard: typeof discardUnlessStopped): Promise<boolean> {
  const outcome = await ctx.transaction(async (ctx) => {
    if (await deleteUpload(ctx, upload, ["open", "completing"])) return "aborted";
    return (await isFile(ctx, upload.fileId)) ? "completed" : "unknown";
  });
  // Discards even if another process deleted the rows, because this one may have written bytes since.
  if (outcome !== "completed") await discard(ctx, upload.staged);
  return outcome === "aborted";
}

/** Runs `work` on an upload that this call has created; aborts the upload if it throws. */
export async function abortOnError<Result>(ctx: Ctx, upload: AbortInput, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await abortOwnUpload(ctx, upload);
    throw error;
  }
}

/**
 * Runs a transaction that inserts uploads and adds them to `inserted`. Aborts them if it fails, because a transaction may have been committed when
 * the database does not respond.
 */
export async function insertOrAbort<Result>(
  ctx: Ctx,
  work: (ctx: TransactionCtx, inserted: AbortInput[]) => Promise<Result>,
): Promise<Result> {
  const inserted: AbortInput[] = [];
  try {
    return await ctx.transaction((ctx) => work(ctx, inserted));
  } catch (error) {
    if (toAppError(error).code === "UNAVAILABLE") await abortUploads(ctx, inserted);
    throw error;
  }
}

/** Aborts uploads that this call has created, and logs the uploads whose rows or bytes it fails to remove. */
export async function abortUploads(ctx: Ctx, uploads: readonly AbortInput[]): Promise<void> {
  // One failed abort must not prevent the others: while this instance runs, no other instance aborts these uploads.
  for (const aborted of await Promise.allSettled(uploads.map((upload) => abortOwnUpload(ctx, upload))))
    if (aborted.status === "rejected") ctx.log.error({ err: aborted.reason }, "removing a failed upload failed");
}

/** Deletes the rows and the reservation of an upload. Resolves to false if its session is in none of `states`. */
async function deleteUpload(
  ctx: TransactionCtx,
  { sessionId, fileId, shortId }: Omit<AbortInput, "staged">,
  states: readonly UploadSessionRow["state"][],
): Promise<boolean> {
  const session = await ctx.db
    .deleteFrom("upload_sessions")
    .where("id", "=", sessionId)
    .where("state", "in", states)
    .returning(["quota_owner", "reserved_bytes", "submission_id"])
    .executeTakeFirst();
  if (!session) return false;
  await ctx.db.deleteFrom("files").where("id", "=", fileId).where("blob_state", "=", "uploading").execute();
  // Deletes only a share of one file, not a shipment that the file has joined.
  await ctx.db.deleteFrom("shares").where("short_id", "=", shortId).where("kind", "=", "file").execute();
  const { quota_owner, reserved_bytes, submission_id } = session;
  await cancelReservation(ctx.db, { owner: quota_owner, bytes: reserved_bytes, files: 1 });
  if (submission_id !== null) {
    await changeReceived(ctx.db, submission_id, { files: -1, bytes: -reserved_bytes });
    await deleteAbortedSubmission(ctx, submission_id);
  }
  return true;
}

const isFile = async (ctx: TransactionCtx, fileId: string): Promise<boolean> =>
  (await ctx.db.selectFrom("files").select("id").where("id", "=", fileId).executeTakeFirst()) !== undefined;

/** Aborts an interrupted upload to a share, so that its delegation can be used again before the next cleanup. */
export async function abortInterruptedUpload(ctx: Ctx, shortId: string): Promise<void> {
  const session = await ctx.db
    .selectFrom("upload_sessions")
    .innerJoin("files", "files.id", "upload_sessions.file_id")
    .selectAll("upload_sessions")
    .where("files.short_id", "=", shortId)
    .where("upload_sessions.state", "=", "open")
    .executeTakeFirst();
  if (!session) return;
  if (await isInterrupted(ctx, session))
    await abortUpload(ctx, { sessionId: session.id, fileId: session.file_id, shortId, staged: toStagedBlob(session) });
}
