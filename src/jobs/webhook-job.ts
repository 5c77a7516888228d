import type { Ctx } from "../context.ts";
import { finishJob } from "../db/jobs.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "../db/tables/events.ts";
import type { JobRow } from "../db/tables/processes.ts";
import { type Attemptable, findNextAttempt, listDueDeliveries } from "../db/webhook-deliveries.ts";
import { findReceiver } from "../db/webhooks.ts";
import { WEBHOOKS } from "../domain/webhooks.ts";
import { enqueueEndpoint, WEBHOOK_JOB } from "../events/enqueue-endpoint.ts";
import { DONE, type JobKind } from "./job.ts";
import { attemptDelivery } from "./webhook-attempt.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/** An endpoint that always has something due gives its place to others after this. */
const TURN_MS = 5_000;
/** How soon an endpoint that waits for an answer gets what has happened meanwhile. */
const LOOK_MS = 250;

/**
 * Delivers to one endpoint what is due: several attempts at once, so that a slow receiver holds up itself alone and never another's.
 * One process has an endpoint at a time, which makes its counts of failures and of attempts under way exact.
 */
export function createWebhookJob(send: WebhookSender): JobKind {
  return {
    name: WEBHOOK_JOB,
    slots: () => ({ total: 64 }),
    async run(ctx, job, signal) {
      await deliverDue(ctx, send, job.subject, signal);
      await handOver(ctx, job);
      return DONE;
    },
  };
}

async function deliverDue(ctx: Ctx, send: WebhookSender, endpointId: string, signal: AbortSignal): Promise<void> {
  const running = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const turnEndsMs = performance.now() + TURN_MS;
  for (;;) {
    const isOver = signal.aborted || failures.length > 0 || performance.now() >= turnEndsMs;
    for (const next of isOver ? [] : await findStartable(ctx, endpointId, running)) {
      const attempt = attemptDelivery(ctx, send, next)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(next.delivery.id));
      running.set(next.delivery.id, attempt);
    }
    if (running.size === 0) break;
    await firstOf(running.values(), LOOK_MS);
  }
  if (failures.length > 0) throw failures[0];
}

interface Startable {
  readonly delivery: WebhookDeliveryRow;
  /** As it is now: its address and secret may have changed since the last attempt. */
  readonly endpoint: WebhookEndpointRow;
}

async function findStartable(ctx: Ctx, endpointId: string, running: ReadonlyMap<string, unknown>): Promise<Startable[]> {
  const endpoint = await findReceiver(ctx.db, endpointId);
  if (!endpoint) return [];
  const free = (endpoint.failed_attempts >= WEBHOOKS.failuresToSlow ? 1 : WEBHOOKS.parallel) - running.size;
  if (free <= 0) return [];
  const due = await listDueDeliveries(ctx.db, { ...attemptable(endpoint), nowMs: ctx.now(), limit: free + running.size });
  return due
    .filter(({ id }) => !running.has(id))
    .slice(0, free)
    .map((delivery) => ({ delivery, endpoint }));
}

const attemptable = (endpoint: WebhookEndpointRow): Attemptable => ({ endpointId: endpoint.id, onlyByHand: endpoint.status === "paused" });

/**
 * Ends the job, and begins a new one where the endpoint has more to get. In one transaction, and under a new id: what is dispatched while
 * this one ends is seen here, or makes a job of its own.
 */
async function handOver(ctx: Ctx, job: JobRow): Promise<void> {
  await ctx.tx(async (ctx) => {
    if (!(await finishJob(ctx.db, { id: job.id, holder: ctx.instanceId }))) return;
    const endpoint = await findReceiver(ctx.db, job.subject);
    const nextMs = endpoint && (await findNextAttempt(ctx.db, attemptable(endpoint)));
    // Not before now, so that those who have waited meanwhile come first.
    if (nextMs !== undefined) await enqueueEndpoint(ctx, job.subject, Math.max(nextMs, ctx.now()));
  });
}

/** Resolves when one of them settles, or the time is over. */
async function firstOf(promises: Iterable<Promise<void>>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([...promises, late]);
  clearTimeout(timer);
}
