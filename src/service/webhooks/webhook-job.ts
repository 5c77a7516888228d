import type { Ctx, TransactionCtx } from "../../context.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "../../db/tables/events.ts";
import type { JobRow } from "../../db/tables/jobs.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { finishJob } from "../../jobs/queue.ts";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { type DeliveryFilter, findNextAttemptMs, listDueDeliveries, recordAttempt } from "./delivery-queries.ts";
import { enqueueEndpointJob, WEBHOOK_JOB } from "./enqueue-endpoint-job.ts";
import { MAX_ATTEMPTS, WEBHOOKS, webhookPauseMs } from "./limits.ts";
import { findEndpoint, incrementFailures, pauseEndpoint, resetFailures } from "./queries.ts";
import type { AttemptResult, WebhookSender } from "./webhook-sender.ts";

/** Time for which one run of a job starts attempts, so that a busy endpoint does not occupy its job slot. */
const RUN_MS = 5_000;
/** Interval of checks for new deliveries while attempts run. */
const POLL_MS = 250;

/**
 * Returns the job that sends the due deliveries of one endpoint, several concurrently. A slow endpoint delays no other. One server
 * instance works on an endpoint at a time, so its counts of failures and of running attempts are exact.
 */
export function createWebhookJob(send: WebhookSender): JobKind<Ctx> {
  return {
    name: WEBHOOK_JOB,
    slots: () => ({ total: 64 }),
    async run(ctx, job, signal) {
      await sendDue(ctx, send, job.subject, signal);
      await finishAndReschedule(ctx, job);
      return DONE;
    },
  };
}

async function sendDue(ctx: Ctx, send: WebhookSender, endpointId: string, signal: AbortSignal): Promise<void> {
  const running = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const endsMs = performance.now() + RUN_MS;
  for (;;) {
    const isEnding = signal.aborted || failures.length > 0 || performance.now() >= endsMs;
    for (const next of isEnding ? [] : await findStartable(ctx, endpointId, running)) {
      const attempt = attemptDelivery(ctx, send, next)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(next.delivery.id));
      running.set(next.delivery.id, attempt);
    }
    if (running.size === 0) break;
    await withTimeout(Promise.race(running.values()), POLL_MS, () => undefined);
  }
  if (failures.length > 0) throw failures[0];
}

interface Startable {
  readonly delivery: WebhookDeliveryRow;
  /** The endpoint as read just before the attempt, because its URL and secret may change. */
  readonly endpoint: WebhookEndpointRow;
}

async function findStartable(ctx: Ctx, endpointId: string, running: ReadonlyMap<string, unknown>): Promise<Startable[]> {
  const endpoint = await findEndpoint(ctx.db, endpointId);
  if (!endpoint) return [];
  const free = (endpoint.failed_attempts >= WEBHOOKS.failuresToSlow ? 1 : WEBHOOKS.concurrency) - running.size;
  if (free <= 0) return [];
  const due = await listDueDeliveries(ctx.db, { ...toFilter(endpoint), nowMs: ctx.now(), limit: free + running.size });
  return due
    .filter(({ id }) => !running.has(id))
    .slice(0, free)
    .map((delivery) => ({ delivery, endpoint }));
}

const toFilter = (endpoint: WebhookEndpointRow): DeliveryFilter => ({
  endpointId: endpoint.id,
  isOnlyManual: endpoint.status === "paused",
});

/**
 * Finishes the job and enqueues a new one if the endpoint has more deliveries. One transaction does both, so that an event that is dispatched
 * meanwhile is either found or enqueues its own job.
 */
async function finishAndReschedule(ctx: Ctx, job: JobRow): Promise<void> {
  await ctx.transaction(async (ctx) => {
    if (!(await finishJob(ctx.db, { id: job.id, holder: ctx.instanceId }))) return;
    const endpoint = await findEndpoint(ctx.db, job.subject);
    const nextMs = endpoint && (await findNextAttemptMs(ctx.db, toFilter(endpoint)));
    // The new job is due now at the earliest, so that waiting jobs run first.
    if (nextMs !== undefined) await enqueueEndpointJob(ctx, job.subject, Math.max(nextMs, ctx.now()));
  });
}

/** Makes one attempt and records it. Rejects only if recording fails; the attempt is then repeated. */
async function attemptDelivery(
  ctx: Ctx,
  send: WebhookSender,
  { delivery, endpoint }: { delivery: WebhookDeliveryRow; endpoint: WebhookEndpointRow },
): Promise<void> {
  const result = await sendSigned(ctx, send, delivery, endpoint);
  ctx.log.debug({ webhook: endpoint.id, delivery: delivery.id, ...result }, "webhook delivery attempted");
  await ctx.transaction((ctx) => recordResult(ctx, delivery, result));
}

async function sendSigned(
  ctx: Ctx,
  send: WebhookSender,
  delivery: WebhookDeliveryRow,
  endpoint: WebhookEndpointRow,
): Promise<AttemptResult> {
  const secret = decryptSecret(ctx, endpoint);
  if (secret === undefined) return { responseStatus: null, error: UNREADABLE_SECRET };
  return await send({ url: endpoint.url, secret, id: delivery.event_id, body: delivery.body, nowMs: ctx.now() });
}

const UNREADABLE_SECRET = "The signing secret cannot be decrypted, because the server's secret changed. Rotate it.";

function decryptSecret(ctx: Ctx, endpoint: WebhookEndpointRow): string | undefined {
  try {
    return ctx.keyring.decrypt(endpoint.secret);
  } catch {
    return undefined;
  }
}

async function recordResult(ctx: TransactionCtx, delivery: WebhookDeliveryRow, { responseStatus, error }: AttemptResult): Promise<void> {
  const nowMs = ctx.now();
  const pauseMs = error === null ? undefined : webhookPauseMs(delivery.failures + 1, (ctx.random(1)[0] ?? 0) / 255);
  const nextAttemptAtMs = pauseMs === undefined ? null : nowMs + pauseMs;
  const isRecorded = await recordAttempt(ctx.db, { id: delivery.id, responseStatus, error, nextAttemptAtMs, nowMs });
  if (!isRecorded) return;
  if (error === null) return await resetFailures(ctx.db, delivery.endpoint_id);
  const counters = await incrementFailures(ctx.db, { id: delivery.endpoint_id, isLast: nextAttemptAtMs === null });
  if (counters?.status !== "active" || counters.failed_events < WEBHOOKS.failedEventsToPause) return;
  const reason = `${WEBHOOKS.failedEventsToPause} events in a row failed after ${MAX_ATTEMPTS} attempts each. Last error: ${error}`;
  await pauseEndpoint(ctx.db, { id: delivery.endpoint_id, reason, nowMs });
  ctx.log.warn({ webhook: delivery.endpoint_id }, `webhook endpoint paused: ${WEBHOOKS.failedEventsToPause} events in a row failed`);
}
