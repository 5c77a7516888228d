import type { TransactionCtx } from "../../context.ts";
import { cancelUnlessRunning } from "../../jobs/queue.ts";
import { restartFailedJobs } from "../../jobs/restart-failed-jobs.ts";
import { deleteMails, MAIL_JOB, restartFailedMails } from "../../mail/queue.ts";
import { endImport } from "../imports/end-import.ts";
import { IMPORT_JOB } from "../imports/init-import.ts";
import { restartFailedDeliveries } from "../webhooks/deliveries.ts";
import { deleteFailedRows } from "../webhooks/delivery-queries.ts";
import type { FailedRow } from "./failed-jobs-queries.ts";

/** Makes work due now if it has still failed. Resolves to the number of restarted items. */
export async function restart(ctx: TransactionCtx, rows: readonly FailedRow[]): Promise<number> {
  const idsOf = (source: FailedRow["source"]): string[] => rows.filter((row) => row.source === source).map(({ id }) => id);
  const jobs = await restartFailedJobs(ctx.db, { ids: idsOf("job"), nowMs: ctx.now() });
  const deliveries = await restartFailedDeliveries(ctx, idsOf("delivery"));
  const mails = await restartFailedMails(ctx, idsOf("mail"));
  return jobs.length + deliveries.length + mails.length;
}

/** Drops failed work. The job of an import runs once more, to delete the received bytes. */
export async function drop(ctx: TransactionCtx, { source, id, kind, subject }: FailedRow): Promise<void> {
  if (source === "delivery") return await deleteFailedRows(ctx.db, [id]);
  if (source === "mail") return await deleteMails(ctx.db, [id]);
  if (kind === IMPORT_JOB) {
    await endImport(ctx, subject, { status: "cancelled" });
    await restartFailedJobs(ctx.db, { ids: [id], nowMs: ctx.now() });
    return;
  }
  if (kind === MAIL_JOB) await deleteMails(ctx.db, [subject]);
  await cancelUnlessRunning(ctx.db, { kind, subject, nowMs: ctx.now() });
}
