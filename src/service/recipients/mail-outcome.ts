import type { Ctx } from "../../context.ts";
import type { Mail } from "../../contract/mail.ts";
import type { MailObserver } from "../../mail/mail-job.ts";
import { findShare } from "../shares/queries.ts";
import { findRecipientLink } from "../shares/recipient-links.ts";
import { isShareOpen } from "../shares/share-state.ts";
import { isAddressBlocked } from "./blocked-addresses.ts";

/** Maximum length of the response of a mail server that is kept for the sender. */
const MAX_DETAIL = 300;

/** Returns whether a mail to a recipient may be sent: its link is valid, its share is open and its address is not blocked. True for other mails. */
export async function isRecipientMailWanted(ctx: Pick<Ctx, "db" | "keyring" | "now">, mail: Mail, address: string): Promise<boolean> {
  if (mail.kind !== "share") return true;
  const link = await findRecipientLink(ctx.db, mail.link.slice(mail.link.lastIndexOf("/") + 1));
  const share = link && (await findShare(ctx.db, link.shortId));
  return share !== undefined && isShareOpen(ctx, share) && !(await isAddressBlocked(ctx, address));
}

/** Records for the sender what became of the mails to recipients (recipients, "What the sender sees"). */
export const recipientMails: MailObserver<Ctx> = {
  async isWanted(ctx, mail, address) {
    if (mail.kind !== "share" || (await isRecipientMailWanted(ctx, mail, address))) return true;
    const failure = (await isAddressBlocked(ctx, address)) ? "recipient_blocked" : "share_ended";
    await setOutcome(ctx, mail, { status: "failed", failure, failure_detail: null });
    return false;
  },
  async onSent(ctx, mail) {
    if (mail.kind !== "share") return;
    await setOutcome(ctx, mail, { status: "sent", failure: null, failure_detail: null });
    await ctx.db
      .updateTable("share_recipients")
      .set({ sent_at: ctx.now() })
      .where("id", "=", mail.recipientId)
      .where("sent_at", "is", null)
      .execute();
  },
  async onFailed(ctx, mail, { isRefused, response }) {
    if (mail.kind !== "share") return;
    const failure_detail = response?.replace(/\p{C}+/gu, " ").slice(0, MAX_DETAIL) ?? null;
    await setOutcome(ctx, mail, { status: "failed", failure: isRefused ? "refused" : "unreachable", failure_detail });
  },
};

type Outcome =
  | { readonly status: "sent"; readonly failure: null; readonly failure_detail: null }
  | {
      readonly status: "failed";
      readonly failure: "refused" | "unreachable" | "recipient_blocked" | "share_ended";
      readonly failure_detail: string | null;
    };

/** Sets the outcome of a mail, unless another one to the recipient was requested meanwhile. The outcome of a reminder is not shown. */
async function setOutcome(
  { db }: Pick<Ctx, "db">,
  { recipientId, isReminder }: Extract<Mail, { kind: "share" }>,
  outcome: Outcome,
): Promise<void> {
  if (isReminder) return;
  await db.updateTable("share_recipients").set(outcome).where("id", "=", recipientId).where("status", "<>", "waiting").execute();
}
