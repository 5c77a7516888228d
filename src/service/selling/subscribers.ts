import type { TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { SubscriptionRow } from "../../db/tables/selling.ts";
import { deleteJob, enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";

/** The kind of the jobs that make a subscription fit the state of its account. */
export const ADJUST_SUBSCRIPTION_JOB = "adjust-subscription";

export async function findSubscriber(db: Db, userId: string): Promise<SubscriptionRow | undefined> {
  return await db.selectFrom("subscriptions").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** `customer`: a subscriber's ID at the payment platform. */
export async function findSubscriberByCustomer(db: Db, customer: string): Promise<SubscriptionRow | undefined> {
  return await db.selectFrom("subscriptions").selectAll().where("customer", "=", customer).executeTakeFirst();
}

/** Whether an account has a subscription that takes payments, so that its deletion ends it. */
export async function hasSubscription(db: Db, userId: string): Promise<boolean> {
  const state = (await findSubscriber(db, userId))?.state;
  return state === "active" || state === "late";
}

/**
 * Makes the subscription of an account, if it has one, fit its state: ended once the account is deleted, paused while it is disabled (selling, "Pro").
 * Call `ctx.wakeJobs()` afterwards.
 */
export async function enqueueAdjustment(ctx: TransactionCtx, userId: string): Promise<void> {
  const subscriber = await findSubscriber(ctx.db, userId);
  if (!subscriber) return;
  // The account may be gone when the job runs.
  const job = { kind: ADJUST_SUBSCRIPTION_JOB, subject: subscriber.customer };
  // A run that has read the state before this change would finish the job for it.
  await deleteJob(ctx.db, job);
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { ...job, id: newUuid(ctx.random, nowMs), runAtMs: nowMs, nowMs });
}
