import type { Ctx } from "../../context.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import { ANONYMOUS_QUOTA_PREFIX } from "../../domain/actor.ts";
import { DAY_MS } from "../../domain/ttl.ts";
import { listLiving } from "../../instance.ts";
import { abandonUpload } from "../../operations/uploads/abandon-upload.ts";
import { SESSION_AGE_MS, SESSION_IDLE_MS, stagedBlob } from "../../operations/uploads/session.ts";
import { findLaterByte } from "./later-byte.ts";

const BATCH = 200;
/** How long a completed upload gives the same answer again. */
const KEEP_ANSWER_MS = DAY_MS;

/** Undoes uploads that nobody goes on with: those of processes that died, and those that have idled too long. Resolves to how many. */
export async function reapUploads(ctx: Ctx): Promise<number> {
  await forgetCompleted(ctx);
  await reopenCompletions(ctx);
  await noteArrivals(ctx);
  return await reapAll(ctx, await listAbandoned(ctx));
}

/** The unfinished uploads that nobody goes on with; of those that have idled too long, a batch. */
export async function listAbandoned(ctx: Ctx): Promise<UploadSessionRow[]> {
  const idle: UploadSessionRow[] = [];
  for (const session of await listIdle(ctx)) if ((await findLaterByte(ctx, session)) === undefined) idle.push(session);
  return [...(await listDead(ctx)), ...idle];
}

/** Of what looks idle, but is not: so that it is not asked for again at each cleanup. */
async function noteArrivals(ctx: Ctx): Promise<void> {
  for (const session of await listIdle(ctx)) {
    const last_byte_at = await findLaterByte(ctx, session);
    if (last_byte_at === undefined) continue;
    await ctx.db.updateTable("upload_sessions").set({ last_byte_at }).where("id", "=", session.id).execute();
  }
}

/** The records of an upload's parts go with it: few at a time, since there may be 10,000 of each. */
async function forgetCompleted(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .selectFrom("upload_sessions")
    .select("id")
    .where("state", "=", "completed")
    .where("completed_at", "<=", ctx.now() - KEEP_ANSWER_MS)
    .limit(BATCH)
    .execute();
  for (const { id } of due) await ctx.db.deleteFrom("upload_sessions").where("id", "=", id).execute();
}

/** A completion whose process died can be asked for again, or idles until it is reaped. */
async function reopenCompletions(ctx: Ctx): Promise<void> {
  const living = await listLiving(ctx.db, ctx.now());
  const held = await ctx.db.selectFrom("upload_sessions").select(["id", "holder"]).where("state", "=", "completing").execute();
  for (const { id, holder } of held) {
    if (holder === null || living.has(holder)) continue;
    await ctx.db
      .updateTable("upload_sessions")
      .set({ state: "open", holder: null })
      .where("id", "=", id)
      .where("state", "=", "completing")
      .where("holder", "=", holder)
      .execute();
  }
}

/** A stream lives and dies with the process that receives it, an upload in parts until it has a place. */
async function listDead(ctx: Ctx): Promise<UploadSessionRow[]> {
  const sessions = await ctx.db
    .selectFrom("upload_sessions")
    .selectAll()
    .where((where) => where.or([where("kind", "=", "stream"), where("holder", "is not", null)]))
    .where("state", "=", "open")
    .execute();
  if (sessions.length === 0) return [];
  const living = await listLiving(ctx.db, ctx.now());
  return sessions.filter((session) => session.holder === null || !living.has(session.holder));
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
    .limit(BATCH)
    .execute();
}

async function reapAll(ctx: Ctx, sessions: readonly UploadSessionRow[]): Promise<number> {
  let reaped = 0;
  for (const session of sessions) {
    const file = await ctx.db.selectFrom("files").select("short_id").where("id", "=", session.file_id).executeTakeFirst();
    const upload = { sessionId: session.id, fileId: session.file_id, shortId: file?.short_id ?? "", staged: stagedBlob(session) };
    if (await abandonUpload(ctx, upload)) reaped += 1;
  }
  return reaped;
}
