import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { ShareRecipientRow } from "../../db/tables/recipients.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { getUser } from "../accounts/users.ts";
import { findShare } from "../shares/queries.ts";
import { isAddressBlocked } from "./blocked-addresses.ts";
import { mailToRecipient } from "./recipients-job.ts";
import { findShareObstacle, listSendableFiles } from "./send-rules.ts";

/** Time before the end of a share at which recipients are reminded; half of the time since their mail, if that is shorter. */
const AHEAD_MS = DAY_MS;
const BATCH_SIZE = 20;

/** Lists recipients whose reminder is due, at most a batch. Those whose links have ended are told so by their page, so they get none. */
export async function listDueReminders(db: Db, nowMs: number): Promise<ShareRecipientRow[]> {
  return await db
    .selectFrom("share_recipients")
    .innerJoin("shares", "shares.short_id", "share_recipients.short_id")
    .selectAll("share_recipients")
    // The values are literals, because SQLite does not use the partial index for parameters.
    .where(sql<boolean>`wants_reminder = 1 AND reminded_at IS NULL AND downloads = 0`)
    .where("share_recipients.sent_at", "<=", nowMs)
    .where("share_recipients.status", "=", "sent")
    .where("shares.status", "=", "active")
    .where("shares.expires_at", ">", nowMs)
    .where(sql<boolean>`shares.expires_at - min(${AHEAD_MS}, (shares.expires_at - share_recipients.sent_at) / 2) <= ${nowMs}`)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("recipient_links").select("token_hash").whereRef("recipient_id", "=", "share_recipients.id")),
    )
    .limit(BATCH_SIZE)
    .execute();
}

/** Reminds, once, recipients who have not downloaded a share that expires soon (recipients, "Reminders"). */
export async function remindRecipients(ctx: Ctx): Promise<void> {
  if (!ctx.config.mail) return;
  await runInBatches(async () => {
    const reminded = await ctx.transaction(async (ctx) => {
      const nowMs = ctx.now();
      const due = await listDueReminders(ctx.db, nowMs);
      for (const recipient of due) {
        await ctx.db.updateTable("share_recipients").set({ reminded_at: nowMs }).where("id", "=", recipient.id).execute();
        const share = await findShare(ctx.db, recipient.short_id);
        const files = await listSendableFiles(ctx.db, recipient.short_id);
        if (!share?.owner_id || findShareObstacle(ctx, share, files) !== null || (await isAddressBlocked(ctx, recipient.address))) continue;
        await mailToRecipient(ctx, { share, files, sender: await getUser(ctx.db, share.owner_id), recipient, isReminder: true });
      }
      return due.length;
    });
    if (reminded > 0) ctx.wakeJobs();
    return reminded;
  });
}
