import type { TxCtx } from "../context.ts";
import { enqueueJob } from "../db/jobs.ts";
import { newUuid } from "../domain/alphabet.ts";

/** The kind of job that delivers to one endpoint, its subject. */
export const WEBHOOK_JOB = "webhook";

/** Has the endpoint's deliveries looked through, now or at a time. Call `ctx.wakeJobs()` after the transaction. */
export async function enqueueEndpoint(ctx: TxCtx, endpointId: string, atMs: number = ctx.now()): Promise<void> {
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: WEBHOOK_JOB, subject: endpointId, runAtMs: atMs, nowMs });
}
