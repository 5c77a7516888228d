import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { SubscriptionRow } from "../../db/tables/selling.ts";
import { DAY_MS, HOUR_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Payments, SubscriptionFacts } from "../../pay/payments.ts";
import { findUser } from "../accounts/users.ts";
import { changeTier } from "../administration/change-user.ts";
import { applyFacts } from "../selling/apply-facts.ts";
import { enqueueAdjustment, findSubscriberByCustomer } from "../selling/subscribers.ts";
import { limitSharesPastPro } from "../shares/pro-limits.ts";

const BATCH_SIZE = 50;

interface NewSubscriber {
  readonly userId: string;
  /** The person's ID at the payment platform. */
  readonly customer: string;
  /** The customer that `customer` replaces, because the platform no longer knows it. */
  readonly lost: string | undefined;
}

/** Stores a subscriber. Resolves to the stored row, which may come from a concurrent call. */
export async function addSubscriber(ctx: TransactionCtx, { userId, customer, lost }: NewSubscriber): Promise<SubscriptionRow> {
  if (lost !== undefined) {
    await forgetSubscriptions(ctx, lost);
    await ctx.db.updateTable("subscriptions").set({ customer }).where("customer", "=", lost).execute();
  }
  await ctx.db
    .insertInto("subscriptions")
    .values({ user_id: userId, customer, subscription_id: null, plan: null, state: null, period_ends_at: null, checked_at: ctx.now() })
    .onConflict((conflict) => conflict.column("user_id").doNothing())
    .execute();
  return await ctx.db.selectFrom("subscriptions").selectAll().where("user_id", "=", userId).executeTakeFirstOrThrow();
}

/** Removes the subscriptions of a subscriber that the payment platform no longer knows. Pro remains until the end of the paid period. */
export async function forgetSubscriptions({ db }: Pick<TransactionCtx, "db">, customer: string): Promise<void> {
  await db
    .updateTable("subscriptions")
    .set((row) => ({ subscription_id: null, plan: null, state: null, period_ends_at: null, ends_then: 0, version: row("version", "+", 1) }))
    .where("customer", "=", customer)
    .execute();
}

/** Records an open checkout, so that its payment is noticed in time even without a report. */
export async function awaitSubscription(ctx: TransactionCtx, { user_id }: Pick<SubscriptionRow, "user_id">): Promise<void> {
  const nowMs = ctx.now();
  const times = { awaited_until: nowMs + AWAITED_MS, checked_at: nowMs };
  await ctx.db.updateTable("subscriptions").set(times).where("user_id", "=", user_id).execute();
}

/** A subscriber, and the subscription that has changed; undefined if unknown. */
export interface NamedSubscriber {
  /** The person's ID at the payment platform. */
  readonly customer: string;
  readonly subscription?: string | undefined;
}

/**
 * Gives an account Pro until the end of its paid period, according to the payment platform. A later or unlimited end that an administrator set
 * remains (selling, "Pro"). Throws UNAVAILABLE.
 */
export async function syncSubscriber(ctx: Ctx, { customer, subscription }: NamedSubscriber): Promise<void> {
  const userId = await applyFacts(ctx, {
    // The customer is unknown if another server uses the same account at the payment platform.
    find: (db) => findSubscriberByCustomer(db, customer),
    ask: (payments, row) => readSubscriptions(payments, row, subscription),
    isChange: (_, row, read) => {
      const change = toChange(row, read);
      return change !== undefined && Object.entries(change).some(([name, value]) => row[name as keyof SubscriptionRow] !== value);
    },
    apply: (ctx, row, read) => apply(ctx, row, toChange(row, read), subscription),
  });
  if (userId === undefined) return;
  await limitSharesPastPro(ctx, userId);
  ctx.wakeJobs();
}

/** Facts about subscriptions from the payment platform, by their IDs; undefined for a subscription that it does not know. */
type ReadSubscriptions = ReadonlyMap<string, SubscriptionFacts | undefined>;

/** Reads the active subscriptions, the subscription that the row follows, and one additional subscription. */
async function readSubscriptions(
  payments: Payments,
  { customer, subscription_id: followed }: SubscriptionRow,
  other: string | undefined,
): Promise<ReadSubscriptions> {
  const read = new Map<string, SubscriptionFacts | undefined>();
  for (const id of [...(await payments.listSubscriptions(customer)), followed, other])
    if (id != null && !read.has(id)) read.set(id, await payments.readSubscription(id));
  return read;
}

type Change = Pick<SubscriptionRow, "subscription_id" | "plan" | "state" | "period_ends_at" | "ends_then">;

/**
 * Returns the change of a row; undefined if no subscription concerns it. Of several subscriptions the row follows the one with the latest paid end.
 */
function toChange(row: SubscriptionRow, read: ReadSubscriptions): Change | undefined {
  const { subscription_id: followed, plan, period_ends_at, ends_then } = row;
  const [best] = [...read]
    .flatMap(([id, facts]) => (facts?.customer === row.customer ? [{ id, ...facts }] : []))
    // A subscription that has ended does not replace another.
    .filter(({ id, state }) => state !== "ended" || followed === null || id === followed)
    .sort((a, b) => Number(a.state === "ended") - Number(b.state === "ended") || b.paidUntilMs - a.paidUntilMs);
  if (best)
    return {
      subscription_id: best.id,
      plan: best.plan ?? plan,
      state: best.state,
      period_ends_at: best.paidUntilMs,
      ends_then: Number(best.endsThen),
    };
  // The followed subscription was deleted at the platform, or belongs to a platform account that the server used before.
  const isLost = followed !== null && read.get(followed) === undefined;
  return isLost ? { subscription_id: followed, plan, state: "ended", period_ends_at, ends_then } : undefined;
}

async function apply(
  ctx: TransactionCtx,
  row: SubscriptionRow,
  change: Change | undefined,
  subscription = change?.subscription_id,
): Promise<string | undefined> {
  await ctx.db
    .updateTable("subscriptions")
    .set({
      ...change,
      checked_at: ctx.now(),
      version: row.version + 1,
      ...(change !== undefined && change.state !== "ended" && { awaited_until: null }),
    })
    .where("user_id", "=", row.user_id)
    .execute();
  const user = change && (await findUser(ctx.db, row.user_id));
  const endsAtMs = change?.period_ends_at ?? null;
  if (!user || endsAtMs === null) return undefined;
  // Ends or pauses a subscription that was paid after the account was disabled or deleted.
  if (user.disabled_at !== null && subscription !== row.subscription_id) await enqueueAdjustment(ctx, user.id);
  const isFromHere = user.tier === "pro" && user.pro_until !== null && user.pro_until === row.period_ends_at;
  const isLonger = user.tier !== "pro" || (user.pro_until !== null && user.pro_until < endsAtMs);
  if ((isLonger && endsAtMs > ctx.now()) || (isFromHere && user.pro_until !== endsAtMs))
    await changeTier(ctx, "system", user, { tier: "pro", until: toIso(endsAtMs) ?? undefined });
  return row.user_id;
}

/** Lists the subscriptions to check at the payment platform, the least recently checked first. */
const listDue = (db: Db, nowMs: number) =>
  db
    .selectFrom("subscriptions")
    .select(["user_id", "customer"])
    .where("checked_at", "<=", nowMs - CHECK_AGAIN_MS)
    .orderBy("checked_at")
    .limit(BATCH_SIZE);

/** Lists the subscriptions without paid time. The states are literals as in the index, because SQLite does not use it for parameters. */
export const listUnpaid = (db: Db, nowMs: number) =>
  listDue(db, nowMs).where(sql<boolean>`state IN ('active', 'late')`).where("period_ends_at", "<=", nowMs);

/** Lists the subscribers with a checkout that they may have paid. */
export const listAwaited = (db: Db, nowMs: number) => listDue(db, nowMs).where("awaited_until", ">", nowMs);

/** Checks subscriptions without paid time and awaited checkouts at the payment platform, in case a report was lost. */
export async function syncDueSubscriptions(ctx: Ctx): Promise<void> {
  if (!ctx.payments) return;
  const nowMs = ctx.now();
  const due = [...(await listUnpaid(ctx.db, nowMs).execute()), ...(await listAwaited(ctx.db, nowMs).execute())];
  for (const { user_id, customer } of due) {
    // Records the check before the request, so that a subscriber whose requests always fail does not delay the others.
    await ctx.transaction((ctx) =>
      ctx.db.updateTable("subscriptions").set({ checked_at: ctx.now() }).where("user_id", "=", user_id).execute(),
    );
    await syncSubscriber(ctx, { customer }).catch((error: unknown) =>
      ctx.log.warn({ err: error }, "subscription not read; retrying later"),
    );
  }
}

const CHECK_AGAIN_MS = HOUR_MS;
/** Time for which a checkout is awaited. The payment platform ends it after a day, and the server checks once more after that. */
const AWAITED_MS = DAY_MS + 2 * CHECK_AGAIN_MS;
