import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { MAIL_LANGUAGES, type MailLanguage, SHARE_MAIL } from "../../contract/mail.ts";
import { AppError } from "../../errors.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { requireAsDefined } from "../accounts/requirements.ts";
import { getUser } from "../accounts/users.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { recipientsContract } from "./contract.ts";
import { listRecipientRows, type RecipientRow, toRecipient } from "./recipient-queries.ts";
import { countSentMails } from "./send-limits.ts";
import { findShareObstacle, getSenderShare, readSendableFiles, throwObstacle } from "./send-rules.ts";

/** The kind of the jobs that send a share to its waiting recipients. */
export const RECIPIENTS_JOB = "recipients";

/** `POST /shares/{shortId}/recipients`: sends a share by mail once its files have passed their check (recipients, "Sending"). */
export const sendShare: Operation<"sendShare"> = async (ctx, call, input) => {
  const user = requireAsDefined(ctx, call, recipientsContract.sendShare);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const share = await getSenderShare(ctx.db, user.userId, input.shortId);
    if (!ctx.config.mail) throwObstacle("no_mail");
    if (user.isAgent) throwObstacle("agent");
    const obstacle = findShareObstacle(ctx, share, await readSendableFiles(ctx.db, share.short_id));
    if (obstacle !== null) throwObstacle(obstacle);
    const addresses = [...new Set(input.recipients.map((address) => address.toLowerCase()))];
    const known = await listRecipientRows(ctx.db, share.short_id);
    checkRoom(known, addresses);
    const sender = await getUser(ctx.db, user.userId);
    const hasReminder = new Set(known.filter(({ reminder }) => reminder !== null).map(({ address }) => address));
    const reminded = input.remind ? addresses.filter((address) => !hasReminder.has(address)) : [];
    await countSentMails(ctx, { shortId: share.short_id, sender, addresses, reminded });
    const defaultLanguage = toMailLanguage(sender.language);
    for (const address of addresses) await saveRecipient(ctx, { ...input, shortId: share.short_id, address, defaultLanguage });
    await enqueueRecipientsJob(ctx, share.short_id);
    const details = { recipients: addresses.length };
    await recordAudit(ctx, call, { action: "share.sent", subject: share.short_id, account: user.userId, details });
    return { recipients: (await listRecipientRows(ctx.db, share.short_id, addresses)).map(toRecipient) };
  });
  ctx.wakeJobs();
  return response;
};

const toMailLanguage = (language: string | null): MailLanguage => MAIL_LANGUAGES.find((one) => one === language) ?? MAIL_LANGUAGES[0];

/** Throws CONFLICT if the share would have too many recipients. */
function checkRoom(known: readonly RecipientRow[], addresses: readonly string[]): void {
  const all = new Set([...known.map(({ address }) => address), ...addresses]);
  if (all.size > SHARE_MAIL.maxShareRecipients)
    throw new AppError(
      "CONFLICT",
      `A share can be sent to ${SHARE_MAIL.maxShareRecipients} addresses. Remove some, or send the link yourself.`,
    );
}

interface NewRecipient extends Pick<Input<"sendShare">, "message" | "language" | "remind"> {
  readonly shortId: string;
  readonly address: string;
  readonly defaultLanguage: MailLanguage;
}

/**
 * Adds a recipient, or prepares another mail to one, who keeps the language and the reminder that the call does not give. If a mail still waits,
 * the new one replaces it, with its message unless the call gives another. The message is encrypted until it is sent.
 */
async function saveRecipient(ctx: TransactionCtx, recipient: NewRecipient): Promise<void> {
  const { shortId, address, defaultLanguage, language, message, remind } = recipient;
  const nowMs = ctx.now();
  const text = message?.trim();
  const mail = { status: "waiting" as const, failure: null, failure_detail: null };
  const reminder = remind ? ("chosen" as const) : null;
  await ctx.db
    .insertInto("share_recipients")
    .values({
      ...{ id: newUuid(ctx.random, nowMs), short_id: shortId, address, created_at: nowMs },
      ...{ ...mail, language: language ?? defaultLanguage, message: text ? ctx.keyring.encrypt(text) : null, reminder },
    })
    .onConflict((conflict) =>
      conflict.columns(["short_id", "address"]).doUpdateSet({
        ...mail,
        ...(language && { language }),
        message: sql`coalesce(excluded.message, CASE share_recipients.status WHEN 'waiting' THEN share_recipients.message END)`,
        // A recipient is reminded once, however often the share is sent.
        ...(remind != null && { reminder: sql`CASE share_recipients.reminder WHEN 'ended' THEN 'ended' ELSE excluded.reminder END` }),
      }),
    )
    .execute();
}

async function enqueueRecipientsJob({ db, random, now }: TransactionCtx, shortId: string): Promise<void> {
  const nowMs = now();
  await enqueueJob(db, { id: newUuid(random, nowMs), kind: RECIPIENTS_JOB, subject: shortId, runAtMs: nowMs, nowMs });
}
