import type { Ctx, RequestContext } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { NoticeRow } from "../../db/tables/notices.ts";
import { notFound } from "../../errors.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { toListPage, toPagination } from "../paging.ts";
import { type NoticeDetails, readNoticeDetails } from "./notice-details.ts";

/** Retention of a notice (notices, "The list"). */
const RETENTION_MS = 90 * DAY_MS;

/** `GET /notices`: lists the account's notices, newest first. */
export const listNotices: Operation<"listNotices"> = async (ctx, { actor }, input) => {
  const { userId } = requireUser(actor);
  const page = toListPage(input);
  const own = ctx.db.selectFrom("notices").where("user_id", "=", userId);
  const [rows, total, unread] = await Promise.all([
    own.selectAll().orderBy("updated_at", "desc").orderBy("id").limit(page.limit).offset(page.offset).execute(),
    own.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow(),
    countUnread(ctx.db, userId),
  ]);
  const details = await readNoticeDetails(ctx.db, rows);
  return { notices: rows.map((row) => toNotice(row, details.get(row.id))), unread, pagination: toPagination(page, total.count) };
};

async function countUnread(db: Db, userId: string): Promise<number> {
  const counted = db.selectFrom("notices").select(({ fn }) => fn.countAll<number>().as("count"));
  return (await counted.where("user_id", "=", userId).where("read_at", "is", null).executeTakeFirstOrThrow()).count;
}

const toNotice = ({ id, kind, about, title, path, count, at, updated_at, read_at }: NoticeRow, details: NoticeDetails | undefined) => ({
  id,
  kind,
  about,
  title,
  others: details?.others ?? 0,
  encrypted: details?.encrypted ?? null,
  senders: [...(details?.senders ?? [])],
  path,
  count,
  at: toIso(at),
  updatedAt: toIso(updated_at),
  isRead: read_at !== null,
});

/** `POST /notices/read`: marks some or all notices of the account as read. */
export const markNoticesRead: Operation<"markNoticesRead"> = async (ctx, call, { ids }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async ({ db, now }) => {
    await db
      .updateTable("notices")
      .set({ read_at: now() })
      .where("user_id", "=", userId)
      .where("read_at", "is", null)
      .$if(ids != null, (query) => query.where("id", "in", inJson(ids ?? [])))
      .execute();
    return { unread: await countUnread(db, userId) };
  });
};

/** Marks a notice of the account as read, and resolves to the path of the page about its subject. Throws NOT_FOUND. */
export async function openNotice(ctx: Pick<Ctx, "transaction">, { actor }: Pick<RequestContext, "actor">, id: string): Promise<string> {
  const { userId } = requireUser(actor);
  return await ctx.transaction(async ({ db, now }) => {
    const notice = await db
      .selectFrom("notices")
      .select(["path", "read_at"])
      .where("user_id", "=", userId)
      .where("id", "=", id)
      .executeTakeFirst();
    if (!notice) throw notFound("notice", "Look in the list of your notices.", "or was deleted");
    if (notice.read_at === null) await db.updateTable("notices").set({ read_at: now() }).where("id", "=", id).execute();
    return notice.path;
  });
}

/** Deletes old notices. */
export async function deleteOldNotices({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db
    .deleteFrom("notices")
    .where("updated_at", "<=", now() - RETENTION_MS)
    .execute();
}
