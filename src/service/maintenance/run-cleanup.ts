import type { Ctx } from "../../context.ts";
import { reclaimLeases } from "../../jobs/instances.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { deleteOldMails } from "../../mail/queue.ts";
import { ANONYMOUS_QUOTA_PREFIX } from "../accounts/actor.ts";
import { deleteIdleAgents } from "../accounts/delete-idle-agents.ts";
import { deleteEmptyQuotas } from "../accounts/quotas.ts";
import { deleteExpiredRates } from "../accounts/rate-limits.ts";
import { deleteExpiredSessions } from "../accounts/sessions.ts";
import { pruneAuditLog } from "../audit-log/record-audit.ts";
import { endDownloadedByBuyers } from "../downloads/end-used-up.ts";
import { deleteExpiredArchives } from "../downloads/own-archive.ts";
import { deleteExpiredGrants } from "../downloads/queries.ts";
import { expireShares } from "../files/expire-shares.ts";
import { countOldFileRows, countRemovable, deleteOldEmptyShares, deleteOldFileRows, removeDueFiles } from "../files/remove-bytes.ts";
import { deleteOldWithdrawals } from "../files/withdraw.ts";
import { deleteOldIdempotencyKeys } from "../idempotency-queries.ts";
import { deleteOldImports } from "../imports/queries.ts";
import { deleteOldMcpCancellations } from "../mcp/cancellations.ts";
import { deleteOldMcpQuestions } from "../mcp/questions.ts";
import { deleteIdleMcpSessions } from "../mcp/sessions.ts";
import { deleteOldNotices } from "../notices/list-notices.ts";
import { notifyExpiringShares } from "../notices/notify-owners.ts";
import { deleteUnusedConnections } from "../oauth/end-connections.ts";
import { remindRecipients } from "../recipients/remind-recipients.ts";
import { deleteOldReports } from "../reports/queries.ts";
import { deleteEmptySubmissions } from "../requests/empty-submissions.ts";
import { deleteOwnerlessRequests } from "../requests/queries.ts";
import { deleteOldCheckouts } from "../selling/purchase-rows.ts";
import { limitSharesPastPro } from "../shares/pro-limits.ts";
import { countExpiredShares } from "../shares/queries.ts";
import { deleteExpiredLinks } from "../sign-in/account-links.ts";
import { deleteExpiredInvites } from "../sign-in/invites.ts";
import { deleteExpiredFlows } from "../sign-in/oidc/flows.ts";
import { deleteExpiredChallenges } from "../sign-in/passkeys/challenges.ts";
import { deleteExpiredSignIns } from "../sign-in/sign-in-with-code.ts";
import { findRemovalStop } from "../storage/store-pair.ts";
import { deleteOldDelegations } from "../uploads/delegation.ts";
import { expireUploads, listStaleUploads } from "../uploads/expire-uploads.ts";
import { deleteOldDeliveries } from "../webhooks/delivery-queries.ts";
import { WEBHOOKS } from "../webhooks/limits.ts";
import { countOrphans, removeAllOrphans } from "./remove-orphans.ts";
import { atCheckedTime } from "./trusted-time.ts";
import { countOldOrphans, removeOldOrphans } from "./unknown-bytes.ts";

/** Retention of the response to an `Idempotency-Key` (idempotency, "What a repeated request gets"). */
const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** Retention of an ended import's row. */
const IMPORT_RETENTION_MS = 7 * DAY_MS;

/** Retention of an expired upload delegation's row. */
const DELEGATION_RETENTION_MS = DAY_MS;

/** Retention of a deleted account's request after its expiry (requests, "States"). */
const REQUEST_RETENTION_MS = 30 * DAY_MS;

/** Retention of a resolved report (reports, "What is kept"). */
const REPORT_RETENTION_MS = 90 * DAY_MS;

/** Numbers of items that a cleanup ended or removed. */
export interface CleanupReport {
  /** Number of expired shares. */
  readonly expired: number;
  /** Number of files whose bytes were removed. */
  readonly removedFiles: number;
  /** Number of aborted uploads. */
  readonly uploads: number;
  readonly orphans: number;
  /** Number of deleted rows of files. */
  readonly deletedRows: number;
  /** The reason why bytes were not removed; undefined if they were. */
  readonly stopped?: string;
}

export interface CleanupOptions {
  /** The orphans to remove: none, those first seen long ago, or all together with unknown files. */
  readonly orphans: "none" | "old" | "all";
}

/** Runs a cleanup for an administrator (`filehost cleanup`). With `dryRun`, only counts; with `trustsClock`, runs even if the clock may be wrong. */
export async function cleanUp(
  ctx: Ctx,
  { dryRun, trustsClock = false, ...options }: CleanupOptions & { readonly dryRun: boolean; readonly trustsClock?: boolean },
): Promise<CleanupReport> {
  const timed = trustsClock ? ctx : await atCheckedTime(ctx);
  return dryRun ? await countCleanup(timed, options) : await runCleanup(timed, options);
}

/**
 * Ends expired items, removes bytes and rows after their retention, and releases the leases of stopped server instances. Several instances may run it
 * at the same time.
 */
export async function runCleanup(ctx: Ctx, options: CleanupOptions): Promise<CleanupReport> {
  await limitSharesPastPro(ctx);
  await notifyExpiringShares(ctx);
  await remindRecipients(ctx);
  const expired = await expireShares(ctx);
  await endDownloadedByBuyers(ctx);
  const removedFiles = await removeDueFiles(ctx);
  const uploads = await expireUploads(ctx);
  await reclaimLeases(ctx);
  const orphans = await REMOVE_ORPHANS[options.orphans](ctx);
  const deletedRows = await deleteOldFileRows(ctx);
  await deleteOldEmptyShares(ctx);
  await deleteOldWithdrawals(ctx);
  await deleteOldWebhookLog(ctx);
  await deleteIdleAgents(ctx);
  await deleteIdleMcpSessions(ctx);
  await deleteOldMcpCancellations(ctx);
  await deleteOldMcpQuestions(ctx);
  await deleteEmptyQuotas(ctx.db, ANONYMOUS_QUOTA_PREFIX);
  await deleteOldImports(ctx.db, ctx.now() - IMPORT_RETENTION_MS);
  await deleteExpiredRates(ctx.db, ctx.now());
  await deleteOldDelegations(ctx.db, ctx.now() - DELEGATION_RETENTION_MS);
  await deleteOldIdempotencyKeys(ctx.db, ctx.now() - IDEMPOTENCY_RETENTION_MS);
  await deleteOwnerlessRequests(ctx.db, ctx.now() - REQUEST_RETENTION_MS);
  await deleteEmptySubmissions(ctx);
  await deleteOldReports(ctx.db, ctx.now() - REPORT_RETENTION_MS);
  await deleteExpiredSessions(ctx);
  await deleteUnusedConnections(ctx);
  await deleteExpiredFlows(ctx);
  await deleteExpiredChallenges(ctx);
  await deleteExpiredInvites(ctx);
  await deleteExpiredLinks(ctx);
  await deleteOldMails(ctx);
  await deleteOldCheckouts(ctx);
  await pruneAuditLog(ctx);
  await deleteExpiredSignIns(ctx);
  await deleteOldNotices(ctx);
  await deleteExpiredGrants(ctx.db, ctx.now());
  await deleteExpiredArchives(ctx);
  const stopped = await findRemovalStop(ctx);
  return { expired, removedFiles, uploads, orphans, deletedRows, ...(stopped !== undefined && { stopped }) };
}

const REMOVE_ORPHANS: Readonly<Record<CleanupOptions["orphans"], (ctx: Ctx) => Promise<number>>> = {
  none: async () => 0,
  old: removeOldOrphans,
  all: removeAllOrphans,
};

/** Number of deliveries that one statement deletes. */
const BATCH_SIZE = 500;

/** Deletes webhook deliveries that are older than the retention of the log. */
async function deleteOldWebhookLog(ctx: Ctx): Promise<void> {
  const beforeMs = ctx.now() - WEBHOOKS.logDays * DAY_MS;
  while ((await deleteOldDeliveries(ctx.db, { beforeMs, limit: BATCH_SIZE })) === BATCH_SIZE);
}

/** Counts the items that a cleanup would end or remove now. Changes nothing, except that it marks a store without a mark. */
async function countCleanup(ctx: Ctx, options: CleanupOptions): Promise<CleanupReport> {
  const nowMs = ctx.now();
  const stopped = await findRemovalStop(ctx);
  const counts = { expired: await countExpiredShares(ctx.db, nowMs), deletedRows: await countOldFileRows(ctx.db, nowMs) };
  if (stopped !== undefined) return { ...counts, removedFiles: 0, uploads: 0, orphans: 0, stopped };
  return {
    ...counts,
    removedFiles: await countRemovable(ctx.db, nowMs),
    uploads: (await listStaleUploads(ctx)).length,
    orphans: await COUNT_ORPHANS[options.orphans](ctx),
  };
}

const COUNT_ORPHANS: Readonly<Record<CleanupOptions["orphans"], (ctx: Ctx) => Promise<number>>> = {
  none: async () => 0,
  old: countOldOrphans,
  all: async (ctx) => Object.values(await countOrphans(ctx)).reduce((sum, count) => sum + count, 0),
};
