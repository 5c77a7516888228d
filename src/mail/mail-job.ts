import type { Mail } from "../contract/mail.ts";
import type { JobRow } from "../db/tables/jobs.ts";
import type { MailRow } from "../db/tables/mail.ts";
import type { JobCtx } from "../jobs/context.ts";
import { backoffMs, DONE, type JobKind } from "../jobs/job.ts";
import { randomFraction } from "../lib/secrets/ids.ts";
import type { Keyring } from "../lib/secrets/secrets.ts";
import { DAY_MS } from "../lib/text/duration.ts";
import { MAIL_CONNECTIONS, MailError, type Mailer, type MailMessage } from "./mailer.ts";
import { MAIL_JOB, readMail } from "./queue.ts";

/** Time for which a mail is tried (mail, "When a mail cannot be sent"). */
const TRY_MS = 3 * DAY_MS;

/** Renders the content of a mail in the language of its reader. */
export type RenderMail = (mail: Mail, language: string | null) => Omit<MailMessage, "id" | "to">;

type MailJobCtx = JobCtx & { readonly keyring: Pick<Keyring, "decrypt"> };

/**
 * Returns the job that sends one mail. A crash between the server's acceptance and the deletion of the row sends it again, under the same
 * `Message-ID`.
 */
export function createMailJob(mailer: Mailer | undefined, render: RenderMail): JobKind<MailJobCtx> {
  return {
    name: MAIL_JOB,
    slots: () => ({ total: mailer ? MAIL_CONNECTIONS : 0 }),
    async run(ctx, job) {
      const row = await ctx.db.selectFrom("mails").selectAll().where("id", "=", job.subject).executeTakeFirst();
      if (!row?.content || !mailer) return DONE;
      try {
        const mail = readMail(ctx.keyring, row.content);
        if ("until" in mail && Date.parse(mail.until) <= ctx.now()) return await fail(ctx, row, job, EXPIRED);
        await mailer.send({ id: row.id, to: row.recipient, ...render(mail, row.language) });
      } catch (error) {
        const { isFinal, reason, message } = error instanceof MailError ? error : unreadable(error);
        if (isFinal || ctx.now() - row.created_at >= TRY_MS) return await fail(ctx, row, job, { reason, message });
        ctx.log.warn({ reason }, "mail not accepted; retrying later");
        return { kind: "again", atMs: ctx.now() + backoffMs(job.attempts, randomFraction(ctx.random)), reason };
      }
      await ctx.db.deleteFrom("mails").where("id", "=", row.id).execute();
      return DONE;
    },
  };
}

/** Returns the failure of a mail whose content cannot be decrypted, because the server's secret changed. */
const unreadable = (error: unknown) => ({ isFinal: true, reason: "unreadable", message: String(error) });

const EXPIRED = { reason: "expired", message: "Its link has expired before it could be sent." };

/** Records a failure. Keeps the content, so that the mail can be sent again, unless that is useless. */
async function fail(ctx: MailJobCtx, row: MailRow, job: JobRow, { reason, message }: { reason: string; message: string }) {
  ctx.log.error({ mail: row.id, reason }, "mail not sent");
  await ctx.db
    .updateTable("mails")
    .set({ failed_at: ctx.now(), error: message, attempts: row.attempts + job.attempts })
    .$if(reason === EXPIRED.reason, (query) => query.set({ content: null }))
    .where("id", "=", row.id)
    .execute();
  return DONE;
}
