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
import { listRecipientRows, toRecipient } from "./recipient-queries.ts";
import { countSentMails } from "./send-limits.ts";
import { findShareObstacle, getSenderShare, listSendableFiles, throwObstacle } from "./send-rules.ts";

/** The kind of the jobs that send a share to its waiting recipients. */
export const RECIPIENTS_JOB = "recipients";

/** `POST /shares/{shortId}/recipients`: sends a share by mail once its files have passed their check (recipients, "Sending"). */
export const sendShare: Operation<"sendShare"> = async (ctx, call, input) => {
  const user = requireAsDefined(ctx, call, recipientsContract.sendShare);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const share = await getSenderShare(ctx.db, user.userId, input.shortId);
    if (!ctx.config.mail) throwObstacle("no_mail");
    if (user.isAgent) throwObstacle("agent");
    const obstacle = findShareObstacle(ctx, share, await listSendableFiles(ctx.db, share.short_id));
    if (obstacle !== null) throwObstacle(obstacle);
    const addresses = [...new Set(input.recipients.map((address) => address.toLowerCase()))];
    await checkRoom(ctx, share.short_id, addresses);
    const sender = await getUser(ctx.db, user.userId);
    await countSentMails(ctx, { shortId: share.short_id, sender, addresses });
    const language = input.language ?? toMailLanguage(sender.language);
    for (const address of addresses) await saveRecipient(ctx, { ...input, shortId: share.short_id, address, language });
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
async function checkRoom({ db }: TransactionCtx, shortId: string, addresses: readonly string[]): Promise<void> {
  const known = await listRecipientRows(db, shortId);
  const all = new Set([...known.map(({ address }) => address), ...addresses]);
  if (all.size > SHARE_MAIL.maxShareRecipients)
    throw new AppError(
      "CONFLICT",
      `A share can be sent to ${SHARE_MAIL.maxShareRecipients} addresses. Remove some, or send the link yourself.`,
    );
}

interface NewRecipient extends Pick<Input<"sendShare">, "message" | "remind"> {
  readonly shortId: string;
  readonly address: string;
  readonly language: MailLanguage;
}

/** Adds a recipient, or prepares another mail to one. The message is encrypted until it is sent. */
async function saveRecipient(ctx: TransactionCtx, { shortId, address, language, message, remind }: NewRecipient): Promise<void> {
  const nowMs = ctx.now();
  const text = message?.trim();
  const mail = {
    language,
    message: text ? ctx.keyring.encrypt(text) : null,
    status: "waiting" as const,
    failure: null,
    failure_detail: null,
    wants_reminder: Number(remind ?? false),
    reminded_at: null,
  };
  await ctx.db
    .insertInto("share_recipients")
    .values({
      ...{ id: newUuid(ctx.random, nowMs), short_id: shortId, address, created_at: nowMs },
      ...{ sent_at: null, opened_at: null, downloaded_at: null, ...mail },
    })
    .onConflict((conflict) => conflict.columns(["short_id", "address"]).doUpdateSet(mail))
    .execute();
}

async function enqueueRecipientsJob({ db, random, now }: TransactionCtx, shortId: string): Promise<void> {
  const nowMs = now();
  await enqueueJob(db, { id: newUuid(random, nowMs), kind: RECIPIENTS_JOB, subject: shortId, runAtMs: nowMs, nowMs });
}
