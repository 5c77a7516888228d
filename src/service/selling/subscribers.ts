import type { TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { SubscriptionRow } from "../../db/tables/selling.ts";
import { deleteJob, enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";

/** The kind of the jobs that adapt a subscription to the state of its account. */
export const ADJUST_SUBSCRIPTION_JOB = "adjust-subscription";

export async function findSubscriber(db: Db, userId: string): Promise<SubscriptionRow | undefined> {
  return await db.selectFrom("subscriptions").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** Finds a subscriber by the ID at the payment platform. */
export async function findSubscriberByCustomer(db: Db, customer: string): Promise<SubscriptionRow | undefined> {
  return await db.selectFrom("subscriptions").selectAll().where("customer", "=", customer).executeTakeFirst();
}

/** Returns whether an account has a subscription that takes payments, which the account's deletion ends. */
export async function hasSubscription(db: Db, userId: string): Promise<boolean> {
  const state = (await findSubscriber(db, userId))?.state;
  return state === "active" || state === "late";
}

/**
 * Enqueues the adjustment of an account's subscription to its state: ended after deletion, paused while disabled (selling, "Pro"). Call
 * `ctx.wakeJobs()` afterwards.
 */
export async function enqueueAdjustment(ctx: TransactionCtx, userId: string): Promise<void> {
  const subscriber = await findSubscriber(ctx.db, userId);
  if (!subscriber) return;
  // Uses the customer's ID as the subject, because the account may be deleted when the job runs.
  const job = { kind: ADJUST_SUBSCRIPTION_JOB, subject: subscriber.customer };
  // Deletes the old job, because a run that has read the earlier state would finish the new job.
  await deleteJob(ctx.db, job);
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { ...job, id: newUuid(ctx.random, nowMs), runAtMs: nowMs, nowMs });
}
