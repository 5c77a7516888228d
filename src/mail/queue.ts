import type { AddressedMail, Mail } from "../contract/mail.ts";
import { inJson } from "../db/bulk.ts";
import type { Db, TransactionDb } from "../db/database.ts";
import { enqueueJob } from "../jobs/queue.ts";
import { newUuid, type Random } from "../lib/secrets/ids.ts";
import type { Keyring } from "../lib/secrets/secrets.ts";
import { DAY_MS } from "../lib/text/duration.ts";
import type { MailSettings } from "./smtp-settings.ts";

/** The kind of the jobs that send a mail. */
export const MAIL_JOB = "mail";

/** Retention of a refused mail, for the administrator (mail, "When a mail cannot be sent"). */
const FAILED_RETENTION_MS = 7 * DAY_MS;

export interface MailQueueCtx {
  readonly db: TransactionDb;
  readonly config: { readonly mail: MailSettings | undefined };
  readonly keyring: Pick<Keyring, "encrypt">;
  readonly now: () => number;
  readonly random: Random;
}

/**
 * Enqueues a mail in the transaction that requires it; does nothing if the server sends no mail. The content is encrypted, because it may contain
 * one-time links. Call `ctx.wakeJobs()` afterwards.
 */
export async function enqueueMail(ctx: MailQueueCtx, { to, language, mail }: AddressedMail): Promise<void> {
  if (!ctx.config.mail) return;
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  const content = ctx.keyring.encrypt(JSON.stringify(mail));
  await ctx.db
    .insertInto("mails")
    .values({ id, recipient: to, language, content, created_at: nowMs, recipient_id: mail.kind === "share" ? mail.recipientId : null })
    .execute();
  await enqueueMailJob(ctx, id);
}

async function enqueueMailJob({ db, now, random }: Pick<MailQueueCtx, "db" | "now" | "random">, mailId: string): Promise<void> {
  const nowMs = now();
  await enqueueJob(db, { id: newUuid(random, nowMs), kind: MAIL_JOB, subject: mailId, runAtMs: nowMs, nowMs });
}

/** Decrypts the content of a mail. Throws if the server's secret has changed. */
export const readMail = (keyring: Pick<Keyring, "decrypt">, content: string): Mail => JSON.parse(keyring.decrypt(content)) as Mail;

/** Makes the failed ones of these mails due now, with all their attempts. Resolves to their IDs. */
export async function restartFailedMails(ctx: Pick<MailQueueCtx, "db" | "now" | "random">, ids: readonly string[]): Promise<string[]> {
  const nowMs = ctx.now();
  const rows = await ctx.db
    .updateTable("mails")
    .set({ failed_at: null, error: null, created_at: nowMs })
    .where("id", "in", inJson(ids))
    .where("failed_at", "is not", null)
    .where("content", "is not", null)
    .returning("id")
    .execute();
  for (const { id } of rows) await enqueueMailJob(ctx, id);
  return rows.map(({ id }) => id);
}

/** Deletes mails that were not sent, whether they failed or still wait. */
export async function deleteMails(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("mails").where("id", "in", inJson(ids)).execute();
}

/** Deletes the mails to an address that were not sent, except those with a share, which are their sender's. */
export async function deleteMailsTo(db: Db, recipient: string): Promise<void> {
  await db.deleteFrom("mails").where("recipient", "=", recipient).where("recipient_id", "is", null).execute();
}

/** Deletes mails that failed long ago. */
export async function deleteOldMails({ db, now }: { readonly db: Db; readonly now: () => number }): Promise<void> {
  await db
    .deleteFrom("mails")
    .where("failed_at", "<=", now() - FAILED_RETENTION_MS)
    .execute();
}
