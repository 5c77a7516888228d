import type { RateName } from "../../config/rates.ts";
import type { TransactionCtx } from "../../context.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { consumeAll, rateLimited } from "../accounts/rate-limits.ts";

/** Age until which an account counts as new. */
const NEW_ACCOUNT_MS = 3 * DAY_MS;

export interface SentMails {
  readonly shortId: string;
  readonly sender: { readonly id: string; readonly created_at: number };
  readonly addresses: readonly string[];
}

/**
 * Counts mails to recipients by their sender, by their addresses, and by share and address (recipients, "Limits"). Counts all or none. Throws
 * RATE_LIMITED.
 */
export async function countSentMails(ctx: TransactionCtx, { shortId, sender, addresses }: SentMails): Promise<void> {
  const nowMs = ctx.now();
  const toUse = (name: RateName, subject: string, count = 1) => ({ name, subject, rate: ctx.config.rates[name], nowMs, count });
  const bySender = (name: RateName) => toUse(name, sender.id, addresses.length);
  const isNew = nowMs - sender.created_at < NEW_ACCOUNT_MS;
  const uses = [
    bySender("sentMails"),
    bySender("sentMailsDaily"),
    ...(isNew ? [bySender("sentMailsNew")] : []),
    ...addresses.flatMap((address) => {
      const subject = ctx.keyring.pseudonym(address);
      return [toUse("mailsPerRecipient", subject), toUse("repeatedMails", `${shortId} ${subject}`)];
    }),
  ];
  const exceeded = await consumeAll(ctx.db, uses);
  if (!exceeded) return;
  throw rateLimited({
    nowMs,
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) => `${describe(exceeded.name)} Try again in ${retryAfterSeconds} seconds, or send the link yourself.`,
    fields: (wait) => ({ ...wait }),
  });
}

const describe = (name: string): string =>
  name === "mailsPerRecipient" || name === "repeatedMails"
    ? "One of these recipients has got too many mails."
    : "You have sent too many mails.";
