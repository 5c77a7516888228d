import type { Mail } from "../contract/mail.ts";
import type { JobRow } from "../db/tables/jobs.ts";
import type { MailRow } from "../db/tables/mail.ts";
import type { JobCtx } from "../jobs/context.ts";
import { backoffMs, DONE, type JobKind, type JobOutcome } from "../jobs/job.ts";
import { randomFraction } from "../lib/secrets/ids.ts";
import type { Keyring } from "../lib/secrets/secrets.ts";
import { DAY_MS } from "../lib/text/duration.ts";
import { MAIL_CONNECTIONS, MailError, type Mailer, type MailMessage } from "./mailer.ts";
import { deleteMails, MAIL_JOB, readMail } from "./queue.ts";

/** Time for which a mail is tried (mail, "When a mail cannot be sent"). */
const TRY_MS = 3 * DAY_MS;

/** Renders the content of a mail in the language of its reader. */
export type RenderMail = (mail: Mail, language: string | null) => Omit<MailMessage, "id" | "to">;

/** The reason why a mail has failed for good. */
export interface MailFailure {
  /** The response with which the SMTP server refused its recipient or content permanently; undefined if it failed for another reason. */
  readonly refusal: string | undefined;
}

/** Decides whether mails are still sent, and is told what becomes of them. After a crash, it may be told again. */
export interface MailObserver<C extends JobCtx> {
  /** Called before each attempt. The mail is deleted if it is no longer wanted. */
  isWanted(ctx: C, mail: Mail, to: string): Promise<boolean>;
  onSent(ctx: C, mail: Mail): Promise<void>;
  onFailed(ctx: C, mail: Mail, failure: MailFailure): Promise<void>;
}

type MailJobCtx = JobCtx & { readonly keyring: Pick<Keyring, "decrypt"> };

/**
 * Returns the job that sends one mail. A crash between the server's acceptance and the deletion of the row sends it again, under the same
 * `Message-ID`.
 */
export function createMailJob<C extends MailJobCtx>(
  mailer: Mailer | undefined,
  render: RenderMail,
  observer?: MailObserver<C>,
): JobKind<C> {
  return {
    name: MAIL_JOB,
    slots: () => ({ total: mailer ? MAIL_CONNECTIONS : 0 }),
    async run(ctx, job) {
      const row = await ctx.db.selectFrom("mails").selectAll().where("id", "=", job.subject).executeTakeFirst();
      if (!row?.content || !mailer) return DONE;
      const mail = readContent(ctx, row.content);
      if (mail instanceof Error) return await fail(ctx, row, job, unreadable(mail));
      if ("until" in mail && Date.parse(mail.until) <= ctx.now()) return await fail(ctx, row, job, EXPIRED);
      if (observer && !(await observer.isWanted(ctx, mail, row.recipient))) return await remove(ctx, row);
      try {
        await mailer.send({ id: row.id, to: row.recipient, ...render(mail, row.language) });
      } catch (error) {
        const { isFinal, reason, message, refusal } = error instanceof MailError ? error : unreadable(error);
        if (isFinal || ctx.now() - row.created_at >= TRY_MS) {
          await observer?.onFailed(ctx, mail, { refusal: isFinal ? refusal : undefined });
          return await fail(ctx, row, job, { reason, message });
        }
        ctx.log.warn({ reason }, "mail not accepted; retrying later");
        return { kind: "reschedule", atMs: ctx.now() + backoffMs(job.attempts, randomFraction(ctx.random)), reason };
      }
      await observer?.onSent(ctx, mail);
      return await remove(ctx, row);
    },
  };
}

/** Decrypts the content of a mail. Returns the error if the server's secret has changed. */
function readContent({ keyring }: MailJobCtx, content: string): Mail | Error {
  try {
    return readMail(keyring, content);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function remove({ db }: MailJobCtx, { id }: MailRow): Promise<JobOutcome> {
  await deleteMails(db, [id]);
  return DONE;
}

/** Returns the failure of a mail that cannot be decrypted or rendered. */
const unreadable = (error: unknown) => ({ isFinal: true, reason: "unreadable", message: String(error), refusal: undefined });

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
