import type { AddressedMail } from "../contract/mail.ts";
import type { Db, TransactionDb } from "../db/database.ts";
import { enqueueJob } from "../jobs/queue.ts";
import { DAY_MS } from "../lib/duration.ts";
import { newUuid, type Random } from "../lib/ids.ts";
import type { Keyring } from "../lib/secrets.ts";
import type { MailSettings } from "./settings.ts";

/** The kind of the jobs that send a mail. */
export const MAIL_JOB = "mail";

/** How long a refused mail remains, for the administrator (mail, "When a mail cannot be sent"). */
const FAILED_RETENTION_MS = 7 * DAY_MS;

export interface MailQueueCtx {
  readonly db: TransactionDb;
  readonly config: { readonly mail: MailSettings | undefined };
  readonly keyring: Pick<Keyring, "encrypt">;
  readonly now: () => number;
  readonly random: Random;
}

/**
 * Enqueues a mail in the transaction that makes it necessary; nothing where mail is not set. What it says is encrypted, because it may have
 * one-time links. Call `ctx.wakeJobs()` afterwards.
 */
export async function enqueueMail(ctx: MailQueueCtx, { to, language, mail }: AddressedMail): Promise<void> {
  if (!ctx.config.mail) return;
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  const content = ctx.keyring.encrypt(JSON.stringify(mail));
  await ctx.db
    .insertInto("mails")
    .values({ id, recipient: to, language, content, created_at: nowMs, failed_at: null, error: null })
    .execute();
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: MAIL_JOB, subject: id, runAtMs: nowMs, nowMs });
}

/** Deletes mails that could not be sent long ago. */
export async function deleteOldMails({ db, now }: { readonly db: Db; readonly now: () => number }): Promise<void> {
  await db
    .deleteFrom("mails")
    .where("failed_at", "<=", now() - FAILED_RETENTION_MS)
    .execute();
}
