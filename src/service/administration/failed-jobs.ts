import type { Ctx, TransactionCtx } from "../../context.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { type Failed, openFailed, whyNotDropped, whyNotRetried } from "./failed-job-rules.ts";
import { countFailed, type FailedPosition, listFailed } from "./failed-jobs-queries.ts";
import type { FailedJobView } from "./jobs-contract.ts";
import { drop, restart } from "./restart-failed.ts";

/** `GET /admin/jobs`: lists failed work, the last failure first. */
export const listFailedJobs: AdministratorOperation<"listFailedJobs"> = async (ctx, _call, { kind, limit, cursor }) => {
  const pageSize = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  const [failedAt = "", id = ""] = cursor?.split("_") ?? [];
  const before = cursor === undefined ? undefined : { failedAtMs: Number(failedAt), id };
  const rows = await listFailed(ctx.db, { kind, before, limit: pageSize + 1, nowMs: ctx.now() });
  const data: FailedJobView[] = [];
  for (const row of rows.slice(0, pageSize)) data.push(toView(ctx, await openFailed(ctx, row)));
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined;
  const counts = await countFailed(ctx.db);
  return { success: true, data, counts, nextCursor: last === undefined ? null : `${last.failed_at}_${last.id}` };
};

/** Kinds of mail whose subject line is secret or says nothing beyond the kind. */
const HIDDEN_SUBJECTS: readonly string[] = ["password-reset"];

function toView(ctx: Pick<Ctx, "config">, failed: Failed): FailedJobView {
  const { row, mail } = failed;
  return {
    id: row.id,
    kind: row.kind,
    subject: HIDDEN_SUBJECTS.includes(row.kind) ? null : row.subject,
    name: row.url === null ? (row.recipient ?? row.name) : new URL(row.url).host,
    encrypted: row.is_encrypted === 1,
    about: row.event ?? mail?.kind ?? null,
    owner: row.owner_id === null ? null : { id: row.owner_id, email: row.owner_email, emailVerified: row.owner_verified === 1 },
    attempts: row.attempts,
    error: row.error ?? "",
    createdAt: toIso(row.created_at),
    failedAt: toIso(row.failed_at),
    nextAttemptAt: toIso(row.next_attempt_at),
    isRunning: row.is_running === 1,
    canRetry: whyNotRetried(ctx, failed) === undefined,
    canDrop: whyNotDropped(failed) === undefined,
  };
}

/** `POST /admin/jobs/{id}/retry`: retries failed work. Only one of several concurrent calls succeeds. Throws NOT_FOUND, CONFLICT. */
export const retryFailedJob: AdministratorOperation<"retryFailedJob"> = async (ctx, call, { id }) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const failed = await getFailed(ctx, id);
    const reason = whyNotRetried(ctx, failed);
    if (reason !== undefined) throw new AppError("CONFLICT", reason);
    await restart(ctx, [failed.row]);
    return await record(ctx, call, "job.retried", failed);
  });
  ctx.wakeJobs();
  return response;
};

/** `POST /admin/jobs/retry`: retries all failed work that can be retried. A job that fails again during the call is not retried a second time. */
export const retryFailedJobs: AdministratorOperation<"retryFailedJobs"> = async (ctx, call, { kind }) => {
  const { done, skipped } = await forAllFailed(ctx, kind, async (ctx, failed) => {
    const restarted = await restart(
      ctx,
      failed.filter((one) => whyNotRetried(ctx, one) === undefined).map(({ row }) => row),
    );
    await recordMany(ctx, call, "job.retried", { kind, count: restarted });
    return restarted;
  });
  return { retried: done, skipped };
};

/** `DELETE /admin/jobs`: drops all failed work of a kind that can be dropped. */
export const dropFailedJobs: AdministratorOperation<"dropFailedJobs"> = async (ctx, call, { kind }) => {
  const { done, skipped } = await forAllFailed(ctx, kind, async (ctx, failed) => {
    const droppable = failed.filter((one) => whyNotDropped(one) === undefined);
    for (const { row } of droppable) await drop(ctx, row);
    await recordMany(ctx, call, "job.dropped", { kind, count: droppable.length });
    return droppable.length;
  });
  return { dropped: done, skipped };
};

const BATCH_SIZE = 200;

/** Passes all work that failed before the call to `work`, one batch per transaction. `work` resolves to the number of items that it has handled. */
async function forAllFailed(
  ctx: Ctx,
  kind: string | undefined,
  work: (ctx: TransactionCtx, failed: readonly Failed[]) => Promise<number>,
): Promise<{ readonly done: number; readonly skipped: number }> {
  const total = { done: 0, skipped: 0 };
  let before: FailedPosition | undefined;
  for (;;) {
    const { done, rows } = await ctx.transaction(async (ctx) => {
      const rows = await listFailed(ctx.db, { kind, before, limit: BATCH_SIZE, nowMs: ctx.now() });
      const failed: Failed[] = [];
      for (const row of rows) failed.push(await openFailed(ctx, row));
      return { rows, done: await work(ctx, failed) };
    });
    const last = rows.at(-1);
    if (last === undefined) return total;
    before = { failedAtMs: last.failed_at, id: last.id };
    total.done += done;
    total.skipped += rows.length - done;
    ctx.wakeJobs();
  }
}

async function recordMany(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  action: "job.retried" | "job.dropped",
  details: { readonly kind: string | undefined; readonly count: number },
): Promise<void> {
  if (details.count > 0) await recordAudit(ctx, origin, { action, subject: details.kind ?? "all", account: null, details });
}

/** `DELETE /admin/jobs/{id}`: drops failed work, which is then not tried again. Throws NOT_FOUND, CONFLICT. */
export const dropFailedJob: AdministratorOperation<"dropFailedJob"> = async (ctx, call, { id }) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const failed = await getFailed(ctx, id);
    const reason = whyNotDropped(failed);
    if (reason !== undefined) throw new AppError("CONFLICT", reason);
    await drop(ctx, failed.row);
    return await record(ctx, call, "job.dropped", failed);
  });
  ctx.wakeJobs();
  return response;
};

async function getFailed(ctx: TransactionCtx, id: string): Promise<Failed> {
  const [row] = await listFailed(ctx.db, { id, limit: 1, nowMs: ctx.now() });
  if (!row) throw notFound("failed job", "It may have succeeded or been retried meanwhile: list the failed jobs.");
  return await openFailed(ctx, row);
}

async function record(ctx: TransactionCtx, origin: AuditOrigin, action: "job.retried" | "job.dropped", { row }: Failed) {
  await recordAudit(ctx, origin, { action, subject: row.id, account: row.owner_id, details: { kind: row.kind } });
  return { id: row.id, kind: row.kind };
}
