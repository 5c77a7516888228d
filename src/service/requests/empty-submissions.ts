import type { ExpressionBuilder } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db, Schema } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/text/duration.ts";
import { endPrivateShares } from "../files/end-file.ts";

// A submission is a row of the account that asks, and anybody with the link can begin one without sending a file.

/** Maximum number of a request's submissions without files, and the time for which each of them remains (requests, "Limits"). */
const MAX_EMPTY = 1_000;
const RETENTION_MS = DAY_MS;
const MIN_RETENTION_MS = 10 * MINUTE_MS;
/** Number of submissions that one transaction deletes. */
const BATCH_SIZE = 100;

/** Frees space for another submission without files: deletes the oldest one if there are too many. Throws TOO_MANY_UPLOADS if all are new. */
export async function makeRoomForEmpty(ctx: TransactionCtx, requestId: string): Promise<void> {
  if ((await countEmptySubmissions(ctx.db, requestId)) < MAX_EMPTY || (await replaceOldest(ctx, requestId))) return;
  throw new AppError("TOO_MANY_UPLOADS", "Too many people have begun to send files to this request. Try again in ten minutes.", {
    retryAfterSeconds: MIN_RETENTION_MS / 1000,
  });
}

/** Deletes the oldest other submission without files if the removal of a submission's files has left too many of them. */
export async function limitEmptied(ctx: TransactionCtx, requestId: string, submissionId: string): Promise<void> {
  if ((await countEmptySubmissions(ctx.db, requestId)) > MAX_EMPTY) await replaceOldest(ctx, requestId, submissionId);
}

/** Deletes the oldest submission without files that probably gets none, except `exceptId`. Resolves to whether there was one. */
async function replaceOldest(ctx: TransactionCtx, requestId: string, exceptId = ""): Promise<boolean> {
  const old = emptySubmissions(ctx.db)
    .where("request_id", "=", requestId)
    .where("id", "!=", exceptId)
    .where((where) => where.or([where("created_at", "<=", ctx.now() - MIN_RETENTION_MS), hasNoToken(where)]));
  return (await deleteSubmissions(ctx, await old.orderBy("created_at").limit(1).execute())) > 0;
}

export async function countEmptySubmissions(db: Db, requestId: string): Promise<number> {
  const { count } = await db
    .selectFrom("request_submissions")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("request_id", "=", requestId)
    // The value is a literal, as in the partial index.
    .where(({ eb, lit }) => eb("file_count", "=", lit(0)))
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes the submissions of a request that have no file. */
export async function deleteEmptyOf(ctx: TransactionCtx, requestId: string): Promise<void> {
  await deleteSubmissions(ctx, await emptySubmissions(ctx.db).where("request_id", "=", requestId).execute());
}

/** Selects submissions without files, including those whose senders have removed the files. */
export const emptySubmissions = (db: Db) =>
  db
    .selectFrom("request_submissions")
    .select(["id", "short_id"])
    .where(({ eb, lit }) => eb("file_count", "=", lit(0)));

/** Returns the condition of submissions without records of removed files. */
const hasNoRecords = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, "request_submissions">) =>
  not(exists(selectFrom("files").select("files.id").whereRef("files.submission_id", "=", "request_submissions.id")));

/** Returns the condition of submissions that began with an upload. Without files, they are only what a sender has removed. */
const hasNoToken = ({ exists, selectFrom }: ExpressionBuilder<Schema, "request_submissions">) =>
  exists(
    selectFrom("shares")
      .select("shares.short_id")
      .whereRef("shares.short_id", "=", "request_submissions.short_id")
      .where("share_token_hash", "is", null),
  );

async function deleteSubmissions(
  ctx: TransactionCtx,
  submissions: readonly { readonly id: string; readonly short_id: string }[],
): Promise<number> {
  if (submissions.length === 0) return 0;
  const ids = submissions.map(({ id }) => id);
  await ctx.db.deleteFrom("request_submissions").where("id", "in", inJson(ids)).execute();
  await endPrivateShares(
    ctx,
    submissions.map(({ short_id }) => short_id),
  );
  return submissions.length;
}

/** Deletes a submission that began with an aborted upload, if it has no other file. */
export async function deleteAbortedSubmission(ctx: TransactionCtx, id: string): Promise<void> {
  await deleteSubmissions(ctx, await emptySubmissions(ctx.db).where("id", "=", id).where(hasNoRecords).where(hasNoToken).execute());
}

/** Deletes submissions that have had no file for a day and have no records of removed files. */
export async function deleteEmptySubmissions(ctx: Ctx): Promise<void> {
  await runInBatches(
    async () =>
      await ctx.transaction(async (ctx) => {
        const old = emptySubmissions(ctx.db)
          .where(hasNoRecords)
          .where("created_at", "<=", ctx.now() - RETENTION_MS);
        return await deleteSubmissions(ctx, await old.limit(BATCH_SIZE).execute());
      }),
  );
}
