import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { SubscriptionRow } from "../../db/tables/selling.ts";
import { HOUR_MS } from "../../lib/duration.ts";
import { toIso } from "../../lib/iso-time.ts";
import type { SubscriptionFacts } from "../../pay/payments.ts";
import { findUser } from "../accounts/users.ts";
import { changeTier } from "../administration/change-user.ts";
import { usePayments } from "../selling/payments.ts";
import { limitSharesPastPro } from "../shares/expiry.ts";

const BATCH_SIZE = 50;

export async function findSubscriber(db: Db, userId: string): Promise<SubscriptionRow | undefined> {
  return await db.selectFrom("subscriptions").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** Stores a subscriber's ID at the payment platform. Resolves to the row, which another call may have stored first. */
export async function addSubscriber(
  ctx: TransactionCtx,
  { userId, customer }: { userId: string; customer: string },
): Promise<SubscriptionRow> {
  await ctx.db
    .insertInto("subscriptions")
    .values({ user_id: userId, customer, subscription_id: null, plan: null, state: null, period_ends_at: null, checked_at: ctx.now() })
    .onConflict((conflict) => conflict.column("user_id").doNothing())
    .execute();
  return await ctx.db.selectFrom("subscriptions").selectAll().where("user_id", "=", userId).executeTakeFirstOrThrow();
}

/**
 * Gives an account Pro until the end of the period that it has paid, as the payment platform says now. A period without an end that an administrator
 * gave, or a later end, stays (selling, "Pro"). Throws UNAVAILABLE.
 */
export async function syncSubscription(ctx: Ctx, id: string): Promise<void> {
  const facts = await usePayments(ctx, (payments) => payments.readSubscription(id));
  const userId = await ctx.transaction((ctx) => apply(ctx, id, facts));
  if (userId !== undefined) await limitSharesPastPro(ctx, userId);
}

async function apply(ctx: TransactionCtx, id: string, facts: SubscriptionFacts): Promise<string | undefined> {
  const row = await ctx.db.selectFrom("subscriptions").selectAll().where("customer", "=", facts.customer).executeTakeFirst();
  // Of another server with the same account at the platform, or an earlier one that a new one has replaced.
  if (!row || (row.subscription_id !== null && row.subscription_id !== id && facts.state === "ended")) return undefined;
  // What is due and not paid gives nothing new.
  const endsAtMs = facts.state === "late" ? (row.period_ends_at ?? ctx.now()) : facts.periodEndsAtMs;
  await ctx.db
    .updateTable("subscriptions")
    .set({
      subscription_id: id,
      plan: facts.plan ?? row.plan,
      state: facts.state,
      period_ends_at: endsAtMs,
      ends_then: Number(facts.endsThen),
      checked_at: ctx.now(),
    })
    .where("user_id", "=", row.user_id)
    .execute();
  const user = await findUser(ctx.db, row.user_id);
  if (!user) return undefined;
  const isFromHere = user.tier === "pro" && user.pro_until !== null && user.pro_until === row.period_ends_at;
  const isLonger = user.tier !== "pro" || (user.pro_until !== null && user.pro_until < endsAtMs);
  if ((facts.state === "active" && isLonger) || (isFromHere && user.pro_until !== endsAtMs))
    await changeTier(ctx, "system", user, { tier: "pro", until: toIso(endsAtMs) ?? undefined });
  return row.user_id;
}

/** Asks for the subscriptions whose period is over, in case no report came. */
export async function syncDueSubscriptions(ctx: Ctx): Promise<void> {
  if (!ctx.payments) return;
  const due = await ctx.db
    .selectFrom("subscriptions")
    .select("subscription_id")
    .where("state", "in", ["active", "late"])
    .where("period_ends_at", "<=", ctx.now())
    .where("checked_at", "<=", ctx.now() - CHECK_AGAIN_MS)
    .where("subscription_id", "is not", null)
    .limit(BATCH_SIZE)
    .execute();
  for (const { subscription_id } of due)
    await syncSubscription(ctx, subscription_id ?? "").catch((error: unknown) =>
      ctx.log.warn({ err: error }, "a subscription was not read; it is tried again"),
    );
}

const CHECK_AGAIN_MS = HOUR_MS;
