import type { RateName } from "../../config/rates.ts";
import type { TransactionCtx } from "../../context.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { consumeAll, type ExceededRate, rateLimited } from "../accounts/rate-limits.ts";
import { toMailbox } from "./mailbox.ts";

/** Age until which an account counts as new. */
const NEW_ACCOUNT_MS = 3 * DAY_MS;

export interface SentMails {
  readonly shortId: string;
  readonly sender: { readonly id: string; readonly created_at: number };
  readonly addresses: readonly string[];
  /** The addresses for which a reminder is requested, which counts as a mail. */
  readonly reminded: readonly string[];
}

/**
 * Counts mails to recipients by their sender, by their addresses, and by share and address (recipients, "Limits"). Counts all or none. Throws
 * RATE_LIMITED.
 */
export async function countSentMails(ctx: TransactionCtx, { shortId, sender, addresses, reminded }: SentMails): Promise<void> {
  const nowMs = ctx.now();
  const mails = [...addresses, ...reminded].map(toMailbox);
  const toUse = (name: RateName, subject: string, count: number) => ({ name, subject, rate: ctx.config.rates[name], nowMs, count });
  const bySender = (name: RateName) => toUse(name, sender.id, mails.length);
  const isNew = nowMs - sender.created_at < NEW_ACCOUNT_MS;
  const uses = [
    bySender("sentMails"),
    bySender("sentMailsDaily"),
    ...(isNew ? [bySender("sentMailsNew")] : []),
    ...[...Map.groupBy(mails, (mailbox) => mailbox)].flatMap(([mailbox, { length }]) => {
      const subject = ctx.keyring.pseudonym(mailbox);
      return [toUse("mailsPerRecipient", subject, length), toUse("repeatedMails", `${shortId} ${subject}`, length)];
    }),
  ];
  const exceeded = await consumeAll(ctx.db, uses);
  if (!exceeded) return;
  throw rateLimited({
    nowMs,
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) => `${describe(exceeded)} Try again in ${retryAfterSeconds} seconds, or send the link yourself.`,
    fields: (wait) => ({ ...wait }),
  });
}

const describe = ({ name, remaining }: ExceededRate): string => {
  if (name === "mailsPerRecipient" || name === "repeatedMails") return "One of these recipients has got too many mails.";
  return remaining === 0
    ? "You have sent too many mails."
    : `You can send ${remaining} more mails now, and reminders count. Choose fewer recipients, or no reminder.`;
};
