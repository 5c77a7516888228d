import type { Ctx, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { NoticeRow } from "../../db/tables/notices.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { deleteJob } from "../../jobs/queue.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { NOTICE_JOB } from "./enqueue-notice.ts";
import { type NoticeDetails, readNoticeDetails } from "./notice-details.ts";
import { readNoticeSettings } from "./notice-settings.ts";
import { unsubscribeUrl } from "./unsubscribe.ts";

/** Minimum time between two mails with notices (notices, "By mail"). */
const PAUSE_MS = HOUR_MS;
/** Maximum number of notices in one mail, which also contains the number of the others. */
const LISTED = 20;

/** The job that mails an account its notices that were not mailed yet, in one mail. */
export const noticeJob: JobKind<Ctx> = {
  name: NOTICE_JOB,
  slots: () => ({ total: 2 }),
  async run(ctx, { subject: userId }) {
    const lastMs = await findLastMailMs(ctx, userId);
    if (lastMs !== undefined && ctx.now() < lastMs + PAUSE_MS) return { kind: "reschedule", atMs: lastMs + PAUSE_MS };
    await ctx.transaction((ctx) => mailNotices(ctx, userId));
    ctx.wakeJobs();
    return DONE;
  },
};

async function findLastMailMs({ db }: Ctx, userId: string): Promise<number | undefined> {
  const last = await db
    .selectFrom("notices")
    .select("mailed_at")
    .where("user_id", "=", userId)
    .where("mailed_at", "is not", null)
    .orderBy("mailed_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.mailed_at ?? undefined;
}

/** Marks notices as mailed in the transaction that enqueues the mail, so that a crash repeats neither. Read notices need no mail. */
async function mailNotices(ctx: TransactionCtx, userId: string): Promise<void> {
  // Deletes the job before the run ends, so that a notice that is added meanwhile gets another job.
  await deleteJob(ctx.db, { kind: NOTICE_JOB, subject: userId });
  const user = await ctx.db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirst();
  if (!user || !(await mayMail(ctx, user))) return;
  const unmailed = ctx.db.selectFrom("notices").where("user_id", "=", userId).where("mailed_at", "is", null).where("read_at", "is", null);
  const { count } = await unmailed.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  if (count === 0) return;
  const rows = await unmailed.selectAll().orderBy("created_at").limit(LISTED).execute();
  await ctx.db.updateTable("notices").set({ mailed_at: ctx.now() }).where("user_id", "=", userId).where("mailed_at", "is", null).execute();
  const { siteUrl } = ctx.urls;
  const details = await readNoticeDetails(ctx.db, rows);
  const mail = {
    kind: "notices",
    notices: rows.map((row) => toMailed(row, details.get(row.id), siteUrl)),
    more: count - rows.length,
    link: `${siteUrl}/notices`,
    settings: `${siteUrl}/settings/notices`,
    unsubscribe: unsubscribeUrl(ctx, userId),
  } as const;
  await enqueueMail(ctx, { to: user.email, language: user.language, mail });
}

/** Returns whether notices may be mailed to the account: an unverified address may be a stranger's. */
const mayMail = async (ctx: TransactionCtx, { id, email_verified, disabled_at, role }: UserRow): Promise<boolean> =>
  email_verified === 1 && disabled_at === null && role !== "agent" && (await readNoticeSettings(ctx.db, id)).byMail;

const toMailed = ({ kind, title, path, count, at }: NoticeRow, details: NoticeDetails | undefined, siteUrl: string) => ({
  kind,
  title,
  others: details?.others ?? 0,
  encrypted: details?.encrypted ?? null,
  senders: details?.senders ?? [],
  url: siteUrl + path,
  count,
  at: toIso(at),
});
