import type { Ctx } from "../../context.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import { listLiveInstances } from "../../jobs/instances.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { ANONYMOUS_QUOTA_PREFIX } from "../accounts/actor.ts";
import { findRemovalStop } from "../storage/store-pair.ts";
import { abortUpload } from "./abort-upload.ts";
import { changeSessionState, deleteSession, hasExpectedParts } from "./queries.ts";
import { SESSION_AGE_MS, SESSION_IDLE_MS, toStagedBlob } from "./session.ts";

const BATCH_SIZE = 200;
/** Time for which a completed upload repeats its response. */
const RESULT_RETENTION_MS = DAY_MS;

/** Aborts uploads that cannot continue or are idle, and deletes old records of completed uploads. Resolves to the number of aborted uploads. */
export async function expireUploads(ctx: Ctx): Promise<number> {
  await deleteCompleted(ctx);
  await reopenCompletions(ctx);
  const { idle, active } = await findIdle(ctx);
  // Records the activity, so that the next cleanup does not list the parts of these uploads again.
  for (const { id, last_byte_at } of active) {
    // Never sets an earlier time, because the client may have sent bytes to this server meanwhile.
    const update = ctx.db.updateTable("upload_sessions").set({ last_byte_at }).where("id", "=", id);
    await update.where("last_byte_at", "<", last_byte_at).execute();
  }
  return await abortAll(ctx, [...(await listInterrupted(ctx)), ...(await listEnded(ctx)), ...idle]);
}

/** Aborts one batch of uploads whose file has ended and that receive nothing. Resolves to their number. */
export async function abortEndedUploads(ctx: Ctx): Promise<number> {
  return await abortAll(ctx, await listEnded(ctx));
}

/** Lists unfinished uploads whose server instance has stopped or whose share has ended, and one batch of idle uploads. */
export async function listStaleUploads(ctx: Ctx): Promise<UploadSessionRow[]> {
  const { idle } = await findIdle(ctx);
  return [...(await listInterrupted(ctx)), ...(await listEnded(ctx)), ...idle];
}

interface IdleUploads {
  readonly idle: readonly UploadSessionRow[];
  /** Uploads whose clients send presigned parts to the store, with the time of the last part. */
  readonly active: readonly Pick<UploadSessionRow, "id" | "last_byte_at">[];
}

/**
 * Finds one batch of uploads from which no server instance has recently received a byte. Separates idle uploads from uploads whose parts the store
 * receives.
 */
async function findIdle(ctx: Ctx): Promise<IdleUploads> {
  const idle: UploadSessionRow[] = [];
  const active: Pick<UploadSessionRow, "id" | "last_byte_at">[] = [];
  for (const session of await listIdle(ctx)) {
    const last_byte_at = await findLastPartActivity(ctx, session);
    if (last_byte_at === undefined) idle.push(session);
    else active.push({ id: session.id, last_byte_at });
  }
  return { idle, active };
}

/** Deletes one upload per statement, because that also deletes the records of up to 10,000 parts. */
async function deleteCompleted(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .selectFrom("upload_sessions")
    .select("id")
    .where("state", "=", "completed")
    .where("completed_at", "<=", ctx.now() - RESULT_RETENTION_MS)
    .limit(BATCH_SIZE)
    .execute();
  for (const { id } of due) await deleteSession(ctx.db, id);
}

/** Reopens uploads whose completion a stopped instance has left unfinished, so that clients can repeat the call. */
async function reopenCompletions(ctx: Ctx): Promise<void> {
  const live = await listLiveInstances(ctx);
  const completing = await ctx.db.selectFrom("upload_sessions").select(["id", "lease_holder"]).where("state", "=", "completing").execute();
  for (const { id, lease_holder } of completing) {
    if (lease_holder === null || live.has(lease_holder)) continue;
    await changeSessionState(ctx.db, { id, from: "completing", heldBy: lease_holder, to: "open", leaseHolder: null });
  }
}

/** Lists interrupted uploads. A direct upload depends on the instance that receives it, and a multipart upload only until it is staged. */
async function listInterrupted(ctx: Ctx): Promise<UploadSessionRow[]> {
  const sessions = await ctx.db
    .selectFrom("upload_sessions")
    .selectAll()
    .where((where) => where.or([where("kind", "=", "direct"), where("lease_holder", "is not", null)]))
    .where("state", "=", "open")
    .execute();
  if (sessions.length === 0) return [];
  const live = await listLiveInstances(ctx);
  return sessions.filter((session) => session.lease_holder === null || !live.has(session.lease_holder));
}

/** Lists one batch of multipart uploads whose share was deleted, taken down or has expired. Direct uploads abort themselves. */
async function listEnded(ctx: Ctx): Promise<UploadSessionRow[]> {
  return await ctx.db
    .selectFrom("upload_sessions")
    .innerJoin("files", "files.id", "upload_sessions.file_id")
    .selectAll("upload_sessions")
    .where("upload_sessions.kind", "=", "multipart")
    .where("upload_sessions.state", "=", "open")
    .where("upload_sessions.lease_holder", "is", null)
    .where("files.status", "<>", "active")
    .limit(BATCH_SIZE)
    .execute();
}

async function listIdle(ctx: Ctx): Promise<UploadSessionRow[]> {
  const nowMs = ctx.now();
  return await ctx.db
    .selectFrom("upload_sessions")
    .selectAll()
    .where("kind", "=", "multipart")
    .where("state", "=", "open")
    .where((where) =>
      where.or([
        where("created_at", "<=", nowMs - SESSION_AGE_MS),
        where("last_byte_at", "<=", nowMs - SESSION_IDLE_MS.keyed),
        where.and([
          where("last_byte_at", "<=", nowMs - SESSION_IDLE_MS.anonymous),
          where("quota_owner", "like", `${ANONYMOUS_QUOTA_PREFIX}%`),
        ]),
      ]),
    )
    .limit(BATCH_SIZE)
    .execute();
}

/** Aborts uploads. While removal is stopped for the store, does nothing, and the uploads stay open. */
async function abortAll(ctx: Ctx, sessions: readonly UploadSessionRow[]): Promise<number> {
  if (sessions.length === 0 || (await findRemovalStop(ctx))) return 0;
  let aborted = 0;
  for (const session of sessions) {
    const file = await ctx.db.selectFrom("files").select("short_id").where("id", "=", session.file_id).executeTakeFirst();
    const upload = { sessionId: session.id, fileId: session.file_id, shortId: file?.short_id ?? "", staged: toStagedBlob(session) };
    if (await abortUpload(ctx, upload)) aborted += 1;
  }
  return aborted;
}

/**
 * Finds the time at which the store received the last part of an upload, in milliseconds since 1970; undefined if the upload is idle. An upload whose
 * parts the store fails to list counts as active.
 */
async function findLastPartActivity(ctx: Ctx, session: UploadSessionRow): Promise<number | undefined> {
  if (session.created_at <= ctx.now() - SESSION_AGE_MS || !(await hasExpectedParts(ctx.db, session.file_id))) return undefined;
  try {
    const parts = (await ctx.blobs.listParts?.(toStagedBlob(session))) ?? [];
    const newest = parts.reduce((newest, part) => Math.max(newest, part.uploadedAtMs), 0);
    return newest > ctx.now() - idleMsOf(session) ? newest : undefined;
  } catch (error) {
    ctx.log.warn({ err: error, fileId: session.file_id }, "listing an upload's parts in the store failed");
    return session.last_byte_at;
  }
}

const idleMsOf = ({ quota_owner }: UploadSessionRow): number =>
  quota_owner.startsWith(ANONYMOUS_QUOTA_PREFIX) ? SESSION_IDLE_MS.anonymous : SESSION_IDLE_MS.keyed;
