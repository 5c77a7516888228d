import type { Ctx, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { ShareRecipientRow } from "../../db/tables/recipients.ts";
import { DONE, type JobKind, type JobOutcome } from "../../jobs/job.ts";
import { deleteJob } from "../../jobs/queue.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { findOwner, getUser } from "../accounts/users.ts";
import { isReady } from "../files/ready.ts";
import { type FoundShare, findShare } from "../shares/queries.ts";
import { createRecipientLink } from "../shares/recipient-links.ts";
import { blockUrl, isAddressBlocked } from "./blocked-addresses.ts";
import { findShareObstacle, listSendableFiles, type SendableFile } from "./send-rules.ts";
import { RECIPIENTS_JOB } from "./send-share.ts";

/** Bounds of the pause between two looks at files that are being uploaded or checked: a quarter of the time that they have waited. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = MINUTE_MS;

/** The job that sends a share to its waiting recipients, once all files have arrived and passed their check. */
export const recipientsJob: JobKind<Ctx> = {
  name: RECIPIENTS_JOB,
  slots: () => ({ total: 2 }),
  async run(ctx, { subject: shortId }) {
    const outcome = await ctx.transaction((ctx) => sendToWaiting(ctx, shortId));
    ctx.wakeJobs();
    return outcome;
  },
};

async function sendToWaiting(ctx: TransactionCtx, shortId: string): Promise<JobOutcome> {
  const waiting = await listWaiting(ctx, shortId);
  const [oldest] = waiting;
  const share = await findShare(ctx.db, shortId);
  if (oldest && share) {
    const files = await listSendableFiles(ctx.db, shortId);
    const failure = whyNotSent(ctx, share, files);
    if (failure) await failWaiting(ctx, shortId, failure);
    else if (files.every(isReady)) await sendAll(ctx, { share, files, waiting });
    else return { kind: "reschedule", atMs: ctx.now() + pauseMs(ctx.now() - oldest.created_at) };
  }
  // Deletes the job before the run ends, so that a recipient who is added meanwhile gets another job.
  await deleteJob(ctx.db, { kind: RECIPIENTS_JOB, subject: shortId });
  return DONE;
}

const listWaiting = async ({ db }: TransactionCtx, shortId: string): Promise<ShareRecipientRow[]> =>
  await db
    .selectFrom("share_recipients")
    .selectAll()
    .where("short_id", "=", shortId)
    .where("status", "=", "waiting")
    .orderBy("created_at", "desc")
    .execute();

const pauseMs = (waitedMs: number): number => Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waitedMs / 4));

/** Returns the reason why the share is not sent. One blocked file suffices, because its sender must see it before recipients do. */
function whyNotSent(ctx: TransactionCtx, share: FoundShare, files: readonly SendableFile[]): ShareRecipientRow["failure"] {
  const obstacle = findShareObstacle(ctx, share, files);
  if (obstacle !== null) return obstacle === "ended" || obstacle === "empty" ? "share_ended" : obstacle;
  return files.some(({ scan_status }) => scan_status === "unavailable") ? "file_blocked" : null;
}

async function failWaiting({ db }: TransactionCtx, shortId: string, failure: ShareRecipientRow["failure"]): Promise<void> {
  await db
    .updateTable("share_recipients")
    .set({ status: "failed", failure, message: null })
    .where("short_id", "=", shortId)
    .where("status", "=", "waiting")
    .execute();
}

interface Sendable {
  readonly share: FoundShare;
  readonly files: readonly SendableFile[];
}

async function sendAll(
  ctx: TransactionCtx,
  { waiting, ...sendable }: Sendable & { readonly waiting: readonly ShareRecipientRow[] },
): Promise<void> {
  const sender = await getUser(ctx.db, sendable.share.owner_id ?? "");
  for (const recipient of waiting) {
    const isBlocked = await isAddressBlocked(ctx, recipient.address);
    const { status, failure } = isBlocked ? ({ status: "failed", failure: "recipient_blocked" } as const) : SENDING;
    await ctx.db.updateTable("share_recipients").set({ status, failure, message: null }).where("id", "=", recipient.id).execute();
    if (!isBlocked) await mailToRecipient(ctx, { ...sendable, sender, recipient });
  }
}

const SENDING = { status: "sending", failure: null } as const;

export interface RecipientMail extends Sendable {
  readonly sender: UserRow;
  readonly recipient: ShareRecipientRow;
  readonly isReminder?: boolean;
}

/** Enqueues a mail with a new private link, in the language of the account with the address or, without one, in the chosen language. */
export async function mailToRecipient(
  ctx: TransactionCtx,
  { share, files, sender, recipient, isReminder = false }: RecipientMail,
): Promise<void> {
  const { id, address, message } = recipient;
  const token = await createRecipientLink(ctx, id);
  const account = await findOwner(ctx.db, address);
  const [file] = files;
  const mail = {
    kind: "share",
    recipientId: id,
    sender: sender.email,
    title: share.title ?? (files.length === 1 && file ? file.name : null),
    files: files.length,
    sizeBytes: files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    message: message === null ? null : ctx.keyring.decrypt(message),
    link: `${ctx.urls.siteUrl}/h/${token}`,
    expiresAt: toIso(share.expires_at),
    block: blockUrl(ctx, address),
    isReminder,
  } as const;
  const language = account?.email_verified === 1 ? (account.language ?? recipient.language) : recipient.language;
  await enqueueMail(ctx, { to: address, language, mail });
}
