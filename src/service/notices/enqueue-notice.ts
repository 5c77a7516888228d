import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import type { NoticeRow } from "../../db/tables/notices.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { readNoticeSettings } from "./notice-settings.ts";

/** The kind of the jobs that mail an account's notices. */
export const NOTICE_JOB = "notices";

/** Time that a first notice waits for others, so that one mail contains them. */
const GATHER_MS = MINUTE_MS;

export interface NewNotice {
  readonly userId: string;
  readonly kind: NoticeRow["kind"];
  /** The subject: a share's short ID, or the ID of a request. */
  readonly about: string;
  /** Returns the title of the subject. Called only if the notice is wanted. */
  title(): string | Promise<string>;
  /** The path of the page about the subject, such as `/d/7kXq9Zab`. */
  readonly path: string;
  /** Number of occurrences; default: 1. */
  readonly count?: number;
  /** The expiry of the file or share, for a notice `expiring`. */
  readonly atMs?: number;
  /** The owner's choice for this subject; null: the account's settings apply. */
  readonly wanted?: boolean | null;
}

/**
 * Adds a notice for an account that wants it, in the transaction of its cause (notices, "Kinds"). Occurrences that are neither read nor mailed are
 * counted in one notice. Call `ctx.wakeJobs()` afterwards.
 */
export async function enqueueNotice(ctx: TransactionCtx, notice: NewNotice): Promise<void> {
  const settings = await readNoticeSettings(ctx.db, notice.userId);
  if (!(notice.wanted ?? settings[notice.kind])) return;
  await addNotice(ctx, notice);
  if (!ctx.config.mail || !settings.byMail) return;
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, {
    id: newUuid(ctx.random, nowMs),
    kind: NOTICE_JOB,
    subject: notice.userId,
    runAtMs: nowMs + GATHER_MS,
    nowMs,
  });
}

async function addNotice({ db, now, random }: TransactionCtx, notice: NewNotice) {
  const { userId, kind, about, path, count = 1, atMs } = notice;
  const title = await notice.title();
  const nowMs = now();
  const at = atMs ?? null;
  const counted = await db
    .updateTable("notices")
    .set({ count: sql`count + ${count}`, title, path, at, updated_at: nowMs })
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .where("about", "=", about)
    .where("read_at", "is", null)
    .where("mailed_at", "is", null)
    .executeTakeFirst();
  if (counted.numUpdatedRows > 0n) return;
  const times = { created_at: nowMs, updated_at: nowMs, read_at: null, mailed_at: null };
  await db
    .insertInto("notices")
    .values({ id: newUuid(random, nowMs), user_id: userId, kind, about, title, path, count, at, ...times })
    .execute();
}
