import type { Ctx } from "../../context.ts";
import type { Mail } from "../../contract/mail.ts";
import type { MailObserver } from "../../mail/mail-job.ts";
import { findShare } from "../shares/queries.ts";
import { findRecipientLink } from "../shares/recipient-links.ts";
import { isShareOpen } from "../shares/share-state.ts";
import { isAddressBlocked } from "./blocked-addresses.ts";

/** Maximum length of the response of a mail server that is kept for the sender. */
const MAX_DETAIL = 300;

/** The reason why a mail to a recipient is not sent any more. `link_ended`: the recipient was removed, or the share has new credentials. */
type Unwanted = "recipient_blocked" | "share_ended" | "link_ended";

async function whyUnwanted(
  ctx: Pick<Ctx, "db" | "keyring" | "now">,
  { recipientId, link }: Extract<Mail, { kind: "share" }>,
  address: string,
): Promise<Unwanted | undefined> {
  if (await isAddressBlocked(ctx, address)) return "recipient_blocked";
  const recipient = await ctx.db.selectFrom("share_recipients").select("short_id").where("id", "=", recipientId).executeTakeFirst();
  if (!recipient) return "link_ended";
  const share = await findShare(ctx.db, recipient.short_id);
  if (!share || !isShareOpen(ctx, share)) return "share_ended";
  const found = await findRecipientLink(ctx.db, link.slice(link.lastIndexOf("/") + 1));
  return found === undefined ? "link_ended" : undefined;
}

/** Returns whether a mail to a recipient may be sent: its link is valid, its share is open and its address is not blocked. True for other mails. */
export const isRecipientMailWanted = async (ctx: Pick<Ctx, "db" | "keyring" | "now">, mail: Mail, address: string): Promise<boolean> =>
  mail.kind !== "share" || (await whyUnwanted(ctx, mail, address)) === undefined;

/** Records for the sender what became of the mails to recipients (recipients, "What the sender sees"). */
export const recipientMails: MailObserver<Ctx> = {
  async isWanted(ctx, mail, address) {
    if (mail.kind !== "share") return true;
    const failure = await whyUnwanted(ctx, mail, address);
    if (failure === undefined) return true;
    // The state of a recipient without a link is `ended`.
    if (failure !== "link_ended") await setOutcome(ctx, mail, { status: "failed", failure, failure_detail: null });
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
