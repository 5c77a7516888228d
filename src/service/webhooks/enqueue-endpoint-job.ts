import type { TransactionCtx } from "../../context.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { toIso } from "../../lib/text/iso-time.ts";

/** The job kind that sends the deliveries of one endpoint. The job's subject is the endpoint's ID. */
export const WEBHOOK_JOB = "webhook";

/** Enqueues the job that sends the deliveries of an endpoint, due at `atMs`. Call `ctx.wakeJobs()` after the transaction. */
export async function enqueueEndpointJob(ctx: TransactionCtx, endpointId: string, atMs: number = ctx.now()): Promise<void> {
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: WEBHOOK_JOB, subject: endpointId, runAtMs: atMs, nowMs });
}

interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAtMs: number;
  readonly data: unknown;
}

/** Serializes an event as JSON. The text is stored, so that every attempt sends the same bytes (webhooks, "Delivery"). */
export function toEventBody({ id, type, createdAtMs, data }: WebhookEvent): string {
  return JSON.stringify({ id, type, createdAt: toIso(createdAtMs), data });
}
