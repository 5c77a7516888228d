import { sql } from "kysely";
import type { TierLimits } from "../../config/tiers.ts";
import type { TransactionCtx } from "../../context.ts";
import type { TransactionDb } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { findRequestByToken } from "./queries.ts";
import { checkOpen, linkNotFound } from "./request-state.ts";

/** The request and the submission that an upload belongs to. */
export interface SubmissionTarget {
  readonly requestId: string;
  /** The hash of the link's token at the sender. After a rotation the upload is refused. */
  readonly tokenHash: string;
  readonly submissionId: string;
}

/**
 * Reserves a file of a submission within the limits of its request, exactly under concurrency. Throws NOT_FOUND if the link was replaced,
 * REQUEST_CLOSED, and QUOTA_EXCEEDED for each limit (requests, "Limits").
 */
export async function reserveReceived(ctx: TransactionCtx, target: SubmissionTarget, bytes: number): Promise<void> {
  const request = await findRequestByToken(ctx.db, target.tokenHash);
  if (!request || request.id !== target.requestId) throw linkNotFound();
  checkOpen(ctx, request);
  if (request.once === 1 && (await hasOtherSender(ctx.db, target))) throw takenByOther();
  if (request.received_files + 1 > request.max_files) throw tooManyFiles(request.max_files);
  if (request.max_file_bytes !== null && bytes > request.max_file_bytes) throw fileTooLarge(request.max_file_bytes);
  if (request.received_bytes + bytes > request.max_bytes) throw tooManyBytes(request.max_bytes);
  await changeReceived(ctx.db, target.submissionId, { files: 1, bytes });
}

interface UnsizedUpload {
  /** The limits of the account that asks. */
  readonly limits: TierLimits;
  /** The number of bytes that the upload has reserved. */
  readonly ownBytes: number;
  readonly sizeBytes: number;
}

/** Returns the limits of an upload to a request, which are at most the request's remaining bytes. Throws QUOTA_EXCEEDED as `reserveReceived` does. */
export async function limitToRequest(
  ctx: TransactionCtx,
  { requestId }: SubmissionTarget,
  { limits, ownBytes, sizeBytes }: UnsizedUpload,
): Promise<TierLimits> {
  const { max_bytes, max_file_bytes, received_bytes } = await ctx.db
    .selectFrom("requests")
    .select(["max_bytes", "max_file_bytes", "received_bytes"])
    .where("id", "=", requestId)
    .executeTakeFirstOrThrow(linkNotFound);
  if (max_file_bytes !== null && sizeBytes > max_file_bytes) throw fileTooLarge(max_file_bytes);
  const leftBytes = Math.max(0, max_bytes - received_bytes + ownBytes);
  if (sizeBytes > leftBytes) throw tooManyBytes(max_bytes);
  return { ...limits, fileBytes: Math.min(limits.fileBytes, max_file_bytes ?? Number.POSITIVE_INFINITY, leftBytes) };
}

/**
 * Changes the received files and bytes of a submission and its request. Negative numbers release what was not needed, aborted or removed by the
 * sender.
 */
export async function changeReceived(
  db: TransactionDb,
  submissionId: string,
  { files, bytes }: { readonly files: number; readonly bytes: number },
): Promise<void> {
  if (files !== 0) {
    await db
      .updateTable("request_submissions")
      .set({ file_count: sql`max(0, file_count + ${files})` })
      .where("id", "=", submissionId)
      .execute();
  }
  await db
    .updateTable("requests")
    .set({ received_files: sql`max(0, received_files + ${files})`, received_bytes: sql`max(0, received_bytes + ${bytes})` })
    .where("id", "=", (query) => query.selectFrom("request_submissions").select("request_id").where("id", "=", submissionId))
    .execute();
}

async function hasOtherSender(db: TransactionDb, { requestId, submissionId }: SubmissionTarget): Promise<boolean> {
  const other = await db
    .selectFrom("request_submissions")
    .select("id")
    .where("request_id", "=", requestId)
    .where("id", "<>", submissionId)
    .where(({ eb, lit }) => eb("file_count", ">", lit(0)))
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

const takenByOther = (): AppError =>
  new AppError("REQUEST_CLOSED", "This request accepts the files of one sender, and somebody has sent theirs. Ask for another link.");

const tooManyFiles = (limitFiles: number): AppError =>
  new AppError("QUOTA_EXCEEDED", `This request accepts ${limitFiles} files, and has no room for more. Ask for another link.`, {
    fields: { limitKind: "REQUEST_FILES", limitBytes: null, limitFiles },
  });

const fileTooLarge = (limitBytes: number): AppError =>
  new AppError("QUOTA_EXCEEDED", `The file is too large: this request accepts files of at most ${formatSize(limitBytes)}.`, {
    fields: { limitKind: "FILE_SIZE", limitBytes },
  });

const tooManyBytes = (limitBytes: number): AppError =>
  new AppError(
    "QUOTA_EXCEEDED",
    `This request accepts ${formatSize(limitBytes)} in all, which the file would exceed. Ask for another link.`,
    {
      fields: { limitKind: "REQUEST_BYTES", limitBytes },
    },
  );

/** Runs a reservation on the quota of the account that asks. If the quota is full, the error does not reveal its size. */
export async function reserveForOwner<Result>(reserve: () => Promise<Result>): Promise<Result> {
  try {
    return await reserve();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "QUOTA_EXCEEDED") throw error;
    throw new AppError("QUOTA_EXCEEDED", "The account that asks has no room for this file. Tell its owner, or try again later.", {
      fields: { limitKind: "REQUEST_BYTES", limitBytes: null },
    });
  }
}
