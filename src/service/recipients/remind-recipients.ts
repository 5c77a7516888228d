import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { ShareRecipientRow } from "../../db/tables/recipients.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { getUser } from "../accounts/users.ts";
import { findShare } from "../shares/queries.ts";
import { isAddressBlocked } from "./blocked-addresses.ts";
import { listRecipientRows } from "./recipient-queries.ts";
import { mailToRecipient } from "./recipients-job.ts";
import { findFailure, readSendableFiles } from "./send-rules.ts";

/** Time before the end of a share at which recipients are reminded; half of the time since their mail, if that is shorter. */
const AHEAD_MS = DAY_MS;
const BATCH_SIZE = 20;

/** Lists recipients on whose reminder must be decided now, at most a batch. */
export const listDueReminders = async (db: Db, nowMs: number): Promise<ShareRecipientRow[]> =>
  await db.selectFrom("share_recipients").selectAll().where("remind_at", "<=", nowMs).orderBy("remind_at").limit(BATCH_SIZE).execute();

/** Reminds, once, recipients who have not downloaded a share that expires soon (recipients, "Reminders"). */
export async function remindRecipients(ctx: Ctx): Promise<void> {
  if (!ctx.config.mail) return;
  await runInBatches(async () => {
    if ((await listDueReminders(ctx.db, ctx.now())).length === 0) return 0;
    const decided = await ctx.transaction(async (ctx) => {
      const due = await listDueReminders(ctx.db, ctx.now());
      for (const recipient of due) await decide(ctx, recipient);
      return due.length;
    });
    ctx.wakeJobs();
    return decided;
  });
}

/** Reminds a recipient, or sets the time of the next decision. A changed expiry and another mail to the recipient cause another decision too. */
async function decide(ctx: TransactionCtx, recipient: ShareRecipientRow): Promise<void> {
  const { id, short_id, address, sent_at } = recipient;
  const set = async (columns: Partial<Pick<ShareRecipientRow, "remind_at" | "reminder">>): Promise<void> => {
    await ctx.db.updateTable("share_recipients").set(columns).where("id", "=", id).execute();
  };
  const share = await findShare(ctx.db, short_id);
  const expiresAtMs = share?.expires_at ?? null;
  if (!share || expiresAtMs === null || sent_at === null || !(await isReminderWanted(ctx, recipient)))
    return await set({ remind_at: null });
  const dueAtMs = expiresAtMs - Math.min(AHEAD_MS, Math.floor((expiresAtMs - sent_at) / 2));
  if (dueAtMs > ctx.now()) return await set({ remind_at: dueAtMs });
  const files = await readSendableFiles(ctx.db, short_id);
  // A share that has ended may become active again, which causes another decision.
  const failure = findFailure(ctx, share, files);
  await set({ remind_at: null, ...(failure !== "share_ended" && { reminder: "ended" as const }) });
  if (failure !== null || share.owner_id === null || (await isAddressBlocked(ctx, address))) return;
  await mailToRecipient(ctx, { share, files, sender: await getUser(ctx.db, share.owner_id), recipient, message: null, isReminder: true });
}

/** Returns whether the reminder was chosen and the last mail was sent with a link that works, but was not used to download. */
async function isReminderWanted({ db }: TransactionCtx, { short_id, address }: ShareRecipientRow): Promise<boolean> {
  const [row] = await listRecipientRows(db, short_id, [address]);
  return row?.reminder === "chosen" && row.status === "sent" && row.downloads === 0 && row.has_link === 1;
}
