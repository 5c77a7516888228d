import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { RequestRow, RequestSubmissionRow } from "../../db/tables/requests.ts";
import { type AppError, notFound } from "../../errors.ts";
import type { ListPage } from "../paging.ts";

/** A request, and what decides whether it accepts files. */
export interface FoundRequest extends RequestRow {
  /** Null: the account was deleted. */
  readonly owner_name: string | null;
  readonly owner_disabled_at: number | null;
  /** The submissions that have files. */
  readonly senders: number;
}

const selectRequests = (db: Db) =>
  db
    .selectFrom("requests")
    .leftJoin("users", "users.id", "requests.owner_id")
    .selectAll("requests")
    .select(["users.name as owner_name", "users.disabled_at as owner_disabled_at"])
    .select(sql<number>`(SELECT count(*) FROM request_submissions WHERE request_id = requests.id AND file_count > 0)`.as("senders"));

export const findRequest = async (db: Db, id: string): Promise<FoundRequest | undefined> =>
  await selectRequests(db).where("requests.id", "=", id).executeTakeFirst();

export const findRequestByToken = async (db: Db, tokenHash: string): Promise<FoundRequest | undefined> =>
  await selectRequests(db).where("token_hash", "=", tokenHash).executeTakeFirst();

/** Gets a request of an account. Throws NOT_FOUND, also for one of another account. */
export async function getOwnRequest(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<FoundRequest> {
  const found = await findRequest(db, id);
  if (found?.owner_id === ownerId) return found;
  throw requestNotFound();
}

const requestNotFound = (): AppError => notFound("request", "List your requests to find its ID.", "in your account");

/** Lists one page of an account's requests, newest first. */
export async function listOwnRequests(db: Db, ownerId: string, { limit, offset }: ListPage): Promise<FoundRequest[]> {
  return await selectRequests(db)
    .where("owner_id", "=", ownerId)
    .orderBy("requests.created_at", "desc")
    .orderBy("requests.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countOwnRequests(db: Db, ownerId: string): Promise<number> {
  const { total } = await db
    .selectFrom("requests")
    .select((select) => select.fn.countAll<number>().as("total"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return total;
}

export async function updateRequestRow(ctx: TransactionCtx, id: string, change: Partial<RequestRow>): Promise<void> {
  if (Object.keys(change).length > 0) await ctx.db.updateTable("requests").set(change).where("id", "=", id).execute();
}

export const insertSubmissionRow = async (db: TransactionDb, row: Omit<RequestSubmissionRow, "file_count">): Promise<void> => {
  await db.insertInto("request_submissions").values(row).execute();
};

/** A submission with the secrets of its private share. */
export interface FoundSubmission extends RequestSubmissionRow {
  readonly share_token_hash: string | null;
  readonly deletion_hash: string | null;
}

export async function findSubmission(db: Db, shortId: string): Promise<FoundSubmission | undefined> {
  return await db
    .selectFrom("request_submissions")
    .innerJoin("shares", "shares.short_id", "request_submissions.short_id")
    .selectAll("request_submissions")
    .select(["shares.share_token_hash", "shares.deletion_hash"])
    .where("request_submissions.short_id", "=", shortId)
    .executeTakeFirst();
}

/** Lists the files that a submission has, oldest first. */
export async function listSubmittedFiles(db: Db, submissionId: string): Promise<FileRow[]> {
  return await db
    .selectFrom("files")
    .selectAll()
    .where("submission_id", "=", submissionId)
    .where("status", "=", "active")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Lists the submissions of a request, newest first. */
export async function listSubmissions(db: Db, requestId: string): Promise<RequestSubmissionRow[]> {
  return await db
    .selectFrom("request_submissions")
    .selectAll()
    .where("request_id", "=", requestId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** Deletes the requests of deleted accounts that expired at or before `expiredByMs`. */
export async function deleteOwnerlessRequests(db: Db, expiredByMs: number): Promise<void> {
  await db.deleteFrom("requests").where("owner_id", "is", null).where("expires_at", "<=", expiredByMs).execute();
}
