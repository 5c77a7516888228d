import type { Ctx, TransactionCtx } from "../../context.ts";
import type { SubscriptionRow } from "../../db/tables/selling.ts";
import { HOUR_MS } from "../../lib/duration.ts";
import { toIso } from "../../lib/iso-time.ts";
import type { SubscriptionFacts } from "../../pay/payments.ts";
import { findUser } from "../accounts/users.ts";
import { changeTier } from "../administration/change-user.ts";
import { applyFacts } from "../selling/apply-facts.ts";
import { enqueueAdjustment, findSubscriberByCustomer } from "../selling/subscribers.ts";
import { limitSharesPastPro } from "../shares/expiry.ts";

const BATCH_SIZE = 50;

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

/** A subscription at the payment platform, and whose it is. */
export interface NamedSubscription {
  readonly id: string;
  /** The subscriber's ID at the platform. */
  readonly customer: string;
}

/**
 * Gives an account Pro until the end of what it has paid, as the payment platform says now. A period without an end that an administrator gave,
 * or a later end, stays (selling, "Pro"). Throws UNAVAILABLE.
 */
export async function syncSubscription(ctx: Ctx, { id, customer }: NamedSubscription): Promise<void> {
  const userId = await applyFacts(ctx, {
    // None: the customer of another server with the same account at the platform.
    find: (db) => findSubscriberByCustomer(db, customer),
    ask: (payments) => payments.readSubscription(id),
    isChange: (_, row, facts) => {
      const change = toChange(row, { id, customer }, facts);
      return change !== undefined && Object.entries(change).some(([name, value]) => row[name as keyof SubscriptionRow] !== value);
    },
    apply: (ctx, row, facts) => apply(ctx, row, toChange(row, { id, customer }, facts)),
  });
  if (userId === undefined) return;
  await limitSharesPastPro(ctx, userId);
  ctx.wakeJobs();
}

type Change = Pick<SubscriptionRow, "subscription_id" | "plan" | "state" | "period_ends_at" | "ends_then">;

/** What a row becomes; undefined if the subscription does not concern it. */
function toChange(row: SubscriptionRow, { id, customer }: NamedSubscription, facts: SubscriptionFacts | undefined): Change | undefined {
  // It was deleted at the platform, or is of another account there that the server had before.
  const { plan, period_ends_at, ends_then } = row;
  if (!facts) return row.subscription_id === id ? { subscription_id: id, plan, state: "ended", period_ends_at, ends_then } : undefined;
  const isReplaced = row.subscription_id !== null && row.subscription_id !== id && facts.state === "ended";
  if (isReplaced || facts.customer !== customer) return undefined;
  return {
    subscription_id: id,
    plan: facts.plan ?? row.plan,
    state: facts.state,
    period_ends_at: facts.paidUntilMs,
    ends_then: Number(facts.endsThen),
  };
}

async function apply(ctx: TransactionCtx, row: SubscriptionRow, change: Change | undefined): Promise<string | undefined> {
  await ctx.db
    .updateTable("subscriptions")
    .set({ ...change, checked_at: ctx.now(), version: row.version + 1 })
    .where("user_id", "=", row.user_id)
    .execute();
  const user = change && (await findUser(ctx.db, row.user_id));
  const endsAtMs = change?.period_ends_at ?? null;
  if (!user || endsAtMs === null) return undefined;
  // It was paid after the account was disabled or deleted.
  if (user.disabled_at !== null && change?.subscription_id !== row.subscription_id) await enqueueAdjustment(ctx, user.id);
  const isFromHere = user.tier === "pro" && user.pro_until !== null && user.pro_until === row.period_ends_at;
  const isLonger = user.tier !== "pro" || (user.pro_until !== null && user.pro_until < endsAtMs);
  if ((isLonger && endsAtMs > ctx.now()) || (isFromHere && user.pro_until !== endsAtMs))
    await changeTier(ctx, "system", user, { tier: "pro", until: toIso(endsAtMs) ?? undefined });
  return row.user_id;
}

/** Asks for the subscriptions of which no paid time is left, in case no report came: the one that was asked for longest ago first. */
export async function syncDueSubscriptions(ctx: Ctx): Promise<void> {
  if (!ctx.payments) return;
  const due = await ctx.db
    .selectFrom("subscriptions")
    .select(["user_id", "customer", "subscription_id"])
    .where("state", "in", ["active", "late"])
    .where("period_ends_at", "<=", ctx.now())
    .where("checked_at", "<=", ctx.now() - CHECK_AGAIN_MS)
    .orderBy("checked_at")
    .limit(BATCH_SIZE)
    .execute();
  for (const { user_id, customer, subscription_id: id } of due) {
    // Before it is asked for, so that those that fail each time leave the others their place.
    await ctx.transaction((ctx) =>
      ctx.db.updateTable("subscriptions").set({ checked_at: ctx.now() }).where("user_id", "=", user_id).execute(),
    );
    if (id === null) continue;
    await syncSubscription(ctx, { id, customer }).catch((error: unknown) =>
      ctx.log.warn({ err: error }, "a subscription was not read; it is tried again"),
    );
  }
}

const CHECK_AGAIN_MS = HOUR_MS;
