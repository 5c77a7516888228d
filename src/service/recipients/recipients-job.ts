import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { ShareRecipientRow } from "../../db/tables/recipients.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { deleteJob } from "../../jobs/queue.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { findOwner, getUser } from "../accounts/users.ts";
import { type FoundShare, findShare } from "../shares/queries.ts";
import { createRecipientLink } from "../shares/recipient-links.ts";
import { blockUrl, isAddressBlocked } from "./blocked-addresses.ts";
import { findFailure, readSendableFiles, type SendableFiles } from "./send-rules.ts";
import { RECIPIENTS_JOB } from "./send-share.ts";

/** Bounds of the pause between two looks at files that are being uploaded or checked: a quarter of the time since the job was enqueued. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = MINUTE_MS;

/** The job that sends a share to its waiting recipients, once all files have arrived and passed their check. */
export const recipientsJob: JobKind<Ctx> = {
  name: RECIPIENTS_JOB,
  slots: () => ({ total: 2 }),
  async run(ctx, { subject: shortId, created_at }) {
    const later = { kind: "reschedule", atMs: ctx.now() + pauseMs(ctx.now() - created_at) } as const;
    // Reads first outside a transaction, which would keep others from writing at each look.
    if ((await findNextStep(ctx, shortId)).kind === "wait") return later;
    const isDone = await ctx.transaction((ctx) => takeNextStep(ctx, shortId));
    ctx.wakeJobs();
    return isDone ? DONE : later;
  },
};

const pauseMs = (waitedMs: number): number => Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waitedMs / 4));

interface Sendable {
  readonly share: FoundShare;
  readonly files: SendableFiles;
}

type NextStep =
  | { readonly kind: "wait" | "nothing" }
  | { readonly kind: "fail"; readonly failure: ShareRecipientRow["failure"] }
  | (Sendable & { readonly kind: "send"; readonly waiting: readonly ShareRecipientRow[] });

async function findNextStep(ctx: Pick<Ctx, "config" | "now"> & { readonly db: Db }, shortId: string): Promise<NextStep> {
  const waiting = await listWaiting(ctx.db, shortId);
  const share = await findShare(ctx.db, shortId);
  if (waiting.length === 0 || !share) return { kind: "nothing" };
  const files = await readSendableFiles(ctx.db, shortId);
  const failure = ctx.config.mail ? findFailure(ctx, share, files) : "unreachable";
  if (failure !== null) return { kind: "fail", failure };
  return files.areReady ? { kind: "send", share, files, waiting } : { kind: "wait" };
}

const listWaiting = async (db: Db, shortId: string): Promise<ShareRecipientRow[]> =>
  await db
    .selectFrom("share_recipients")
    .selectAll()
    .where("short_id", "=", shortId)
    .where("status", "=", "waiting")
    .orderBy("created_at")
    .orderBy("id")
    .execute();

/** Resolves to whether no recipient waits any more. */
async function takeNextStep(ctx: TransactionCtx, shortId: string): Promise<boolean> {
  const step = await findNextStep(ctx, shortId);
  if (step.kind === "wait") return false;
  if (step.kind === "fail") await failWaiting(ctx, shortId, step.failure);
  if (step.kind === "send") await sendAll(ctx, step);
  // Deletes the job before the run ends, so that a recipient who is added meanwhile gets another job.
  await deleteJob(ctx.db, { kind: RECIPIENTS_JOB, subject: shortId });
  return true;
}

async function failWaiting({ db }: TransactionCtx, shortId: string, failure: ShareRecipientRow["failure"]): Promise<void> {
  await db
    .updateTable("share_recipients")
    .set({ status: "failed", failure, message: null })
    .where("short_id", "=", shortId)
    .where("status", "=", "waiting")
    .execute();
}

async function sendAll(
  ctx: TransactionCtx,
  { waiting, share, files }: Sendable & { readonly waiting: readonly ShareRecipientRow[] },
): Promise<void> {
  const sender = await getUser(ctx.db, share.owner_id ?? "");
  for (const recipient of waiting) {
    const message = decryptMessage(ctx, recipient);
    const failure = (await isAddressBlocked(ctx, recipient.address)) ? "recipient_blocked" : message === undefined ? "unreachable" : null;
    const status = failure === null ? "sending" : "failed";
    await ctx.db.updateTable("share_recipients").set({ status, failure, message: null }).where("id", "=", recipient.id).execute();
    if (failure === null) await mailToRecipient(ctx, { share, files, sender, recipient, message: message ?? null });
  }
}

/** Returns the sender's message; undefined if it cannot be decrypted, because the server's secret has changed. */
function decryptMessage({ keyring }: TransactionCtx, { message }: ShareRecipientRow): string | null | undefined {
  try {
    return message === null ? null : keyring.decrypt(message);
  } catch {
    return undefined;
  }
}

interface RecipientMail extends Sendable {
  readonly sender: UserRow;
  readonly recipient: ShareRecipientRow;
  readonly message: string | null;
  readonly isReminder?: boolean;
}

/** Enqueues a mail with a new private link, in the language of the account with the address or, without one, in the chosen language. */
export async function mailToRecipient(
  ctx: TransactionCtx,
  { share, files, sender, recipient, message, isReminder = false }: RecipientMail,
): Promise<void> {
  const { id, address } = recipient;
  const token = await createRecipientLink(ctx, { recipientId: id, message });
  const account = await findOwner(ctx.db, address);
  const mail = {
    kind: "share",
    recipientId: id,
    sender: sender.email,
    senderName: share.sender_name,
    title: share.title ?? (files.count === 1 ? files.name : null),
    firstName: files.name,
    files: files.count,
    sizeBytes: files.sizeBytes,
    message,
    link: `${ctx.urls.siteUrl}/h/${token}`,
    expiresAt: toIso(share.expires_at),
    block: blockUrl(ctx, address),
    isReminder,
  } as const;
  const language = account?.email_verified === 1 ? (account.language ?? recipient.language) : recipient.language;
  await enqueueMail(ctx, { to: address, language, mail });
}
