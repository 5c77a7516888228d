import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { RequestRow, RequestSubmissionRow } from "../../db/tables/requests.ts";
import { type AppError, notFound } from "../../errors.ts";
import type { ListPage } from "../paging.ts";

/** A request with the data that decides whether it accepts files. */
export interface FoundRequest extends RequestRow {
  /** The name of the owner; null if the account was deleted. */
  readonly owner_name: string | null;
  /** 1 if the owner shows the name. */
  readonly owner_shows_name: number | null;
  readonly owner_disabled_at: number | null;
  /** 1 if a submission has files. */
  readonly has_sender: number;
}

/** The SQL condition that somebody has sent files to a request. It has no parameters, so that SQLite uses the partial index. */
const HAS_SENDER = sql`EXISTS (SELECT 1 FROM request_submissions WHERE request_id = requests.id AND file_count > 0)`;

const selectRequests = (db: Db) =>
  db
    .selectFrom("requests")
    .leftJoin("users", "users.id", "requests.owner_id")
    .selectAll("requests")
    .select(["users.name as owner_name", "users.show_name as owner_shows_name", "users.disabled_at as owner_disabled_at"])
    .select(sql<number>`${HAS_SENDER}`.as("has_sender"));

export const findRequest = async (db: Db, id: string): Promise<FoundRequest | undefined> =>
  await selectRequests(db).where("requests.id", "=", id).executeTakeFirst();

export const findRequestByToken = async (db: Db, tokenHash: string): Promise<FoundRequest | undefined> =>
  await selectRequests(db).where("token_hash", "=", tokenHash).executeTakeFirst();

/** Gets a request of an account. Throws NOT_FOUND, also for another account's request. */
export async function getOwnRequest(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<FoundRequest> {
  const found = await findRequest(db, id);
  if (found?.owner_id === ownerId) return found;
  throw requestNotFound();
}

const requestNotFound = (): AppError => notFound("request", "List your requests to find its ID.", "in your account");

export interface RequestFilter {
  readonly ownerId: string;
  /** The state to list; `ended`: requests that are not open; undefined: all. */
  readonly state: "open" | "ended" | undefined;
  readonly nowMs: number;
}

/** Returns the SQL that computes whether a request is open, by the rule of `stateOf`. */
const isOpen = ({ nowMs }: Pick<RequestFilter, "nowMs">) => sql<number>`(
  requests.closed_at IS NULL AND requests.expires_at > ${nowMs}
  AND requests.received_files < requests.max_files AND requests.received_bytes < requests.max_bytes
  AND NOT (requests.once = 1 AND ${HAS_SENDER}))`;

/** Lists one page of an account's requests, newest first. */
export async function listOwnRequests(db: Db, filter: RequestFilter, { limit, offset }: ListPage): Promise<FoundRequest[]> {
  return await selectRequests(db)
    .where("owner_id", "=", filter.ownerId)
    .$if(filter.state !== undefined, (query) => query.where(isOpen(filter), "=", filter.state === "open" ? 1 : 0))
    .orderBy("requests.created_at", "desc")
    .orderBy("requests.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Counts an account's requests, open and ended. */
export async function countRequests(db: Db, filter: RequestFilter): Promise<{ readonly open: number; readonly ended: number }> {
  const { open, total } = await db
    .selectFrom("requests")
    .select((select) => [select.fn.countAll<number>().as("total"), sql<number>`coalesce(sum(${isOpen(filter)}), 0)`.as("open")])
    .where("owner_id", "=", filter.ownerId)
    .executeTakeFirstOrThrow();
  return { open, ended: total - open };
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

/** A submission with the expiry and the secrets of its private share. */
export interface FoundSubmission extends RequestSubmissionRow {
  readonly share_expires_at: number | null;
  readonly share_token_hash: string | null;
  readonly deletion_hash: string | null;
}

/** Finds a submission; undefined for an unknown one and after a takedown. */
export async function findSubmission(db: Db, shortId: string): Promise<FoundSubmission | undefined> {
  return await db
    .selectFrom("request_submissions")
    .innerJoin("shares", "shares.short_id", "request_submissions.short_id")
    .selectAll("request_submissions")
    .select(["shares.expires_at as share_expires_at", "shares.share_token_hash", "shares.deletion_hash"])
    .where("request_submissions.short_id", "=", shortId)
    .where("shares.status", "<>", "dmca_removed")
    .executeTakeFirst();
}

/** Lists the files of a submission, oldest first. */
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

/** Finds submissions by their IDs, newest first. */
export async function findSubmissions(db: Db, ids: readonly string[]): Promise<RequestSubmissionRow[]> {
  return await db
    .selectFrom("request_submissions")
    .selectAll()
    .where("id", "in", inJson(ids))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** Deletes the requests of deleted accounts that expired at or before `expiredByMs`. */
export async function deleteOwnerlessRequests(db: Db, expiredByMs: number): Promise<void> {
  await db.deleteFrom("requests").where("owner_id", "is", null).where("expires_at", "<=", expiredByMs).execute();
}
