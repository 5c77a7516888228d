import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import type { Mail } from "../../contract/mail.ts";
import type { ShareRecipientRow } from "../../db/tables/recipients.ts";
import type { MailObserver } from "../../mail/mail-job.ts";
import { findShare } from "../shares/queries.ts";
import { findRecipientLink } from "../shares/recipient-links.ts";
import { isAddressBlocked } from "./blocked-addresses.ts";
import { findFailure, readSendableFiles } from "./send-rules.ts";

/** Maximum length of the response of a mail server that is kept for the sender. */
const MAX_DETAIL = 300;

type ShareMail = Extract<Mail, { kind: "share" }>;

type Failure = NonNullable<ShareRecipientRow["failure"]>;

/**
 * Returns the reason why a mail to a recipient is not sent any more. `needless`: the recipient was removed, the share has new credentials, or a
 * reminded recipient has downloaded.
 */
async function whyUnwanted(
  ctx: Pick<Ctx, "db" | "keyring" | "now">,
  { recipientId, link, isReminder }: ShareMail,
  address: string,
): Promise<Failure | "needless" | null> {
  if (await isAddressBlocked(ctx, address)) return "recipient_blocked";
  const recipient = await ctx.db.selectFrom("share_recipients").selectAll().where("id", "=", recipientId).executeTakeFirst();
  if (!recipient || (isReminder && recipient.downloads > 0)) return "needless";
  const share = await findShare(ctx.db, recipient.short_id);
  const failure = share ? findFailure(ctx, share, await readSendableFiles(ctx.db, share.short_id)) : "share_ended";
  if (failure !== null) return failure;
  const found = await findRecipientLink(ctx.db, link.slice(link.lastIndexOf("/") + 1));
  return found === undefined ? "needless" : null;
}

/** Records for the sender what became of the mails to recipients (recipients, "What the sender sees"). */
export const recipientMails: MailObserver<Ctx> = {
  async isWanted(ctx, mail, address) {
    if (mail.kind !== "share") return true;
    const reason = await whyUnwanted(ctx, mail, address);
    if (reason === null) return true;
    // The state of a recipient without a link is `ended`.
    if (reason !== "needless") await setFailed(ctx, mail, { failure: reason, failure_detail: null });
    return false;
  },
  async onSent(ctx, mail) {
    if (mail.kind !== "share") return;
    const { recipientId, isReminder } = mail;
    if (isReminder) {
      await ctx.db.updateTable("share_recipients").set({ reminded_at: ctx.now() }).where("id", "=", recipientId).execute();
      return;
    }
    await ctx.db
      .updateTable("share_recipients")
      .set({ sent_at: ctx.now(), remind_at: sql`CASE reminder WHEN 'chosen' THEN 0 END` })
      .where("id", "=", recipientId)
      .execute();
    await setOutcome(ctx, mail, { status: "sent", failure: null, failure_detail: null });
  },
  async onFailed(ctx, mail, { refusal }) {
    if (mail.kind !== "share") return;
    const failure_detail = refusal?.replace(/\p{C}+/gu, " ").slice(0, MAX_DETAIL) ?? null;
    await setFailed(ctx, mail, { failure: refusal === undefined ? "unreachable" : "refused", failure_detail });
  },
};

/** Records a failure. The failure of a reminder is not shown. */
async function setFailed(
  ctx: Pick<Ctx, "db">,
  mail: ShareMail,
  failed: { readonly failure: Failure; readonly failure_detail: string | null },
): Promise<void> {
  if (!mail.isReminder) await setOutcome(ctx, mail, { status: "failed", ...failed });
}

/** Sets the outcome of a mail, unless another one to the recipient was requested meanwhile. */
async function setOutcome(
  { db }: Pick<Ctx, "db">,
  { recipientId }: ShareMail,
  outcome: Pick<ShareRecipientRow, "status" | "failure" | "failure_detail">,
): Promise<void> {
  await db.updateTable("share_recipients").set(outcome).where("id", "=", recipientId).where("status", "<>", "waiting").execute();
}
