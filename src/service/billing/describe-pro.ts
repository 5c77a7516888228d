import type { Ctx } from "../../context.ts";
import type { SubscriptionRow } from "../../db/tables/selling.ts";
import { AppError } from "../../errors.ts";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import type { PlanPrice } from "../../pay/payments.ts";
import type { Plan } from "../../pay/stripe-settings.ts";
import { usePayments } from "../selling/payments.ts";
import { findSubscriber } from "../selling/subscribers.ts";
import { syncSubscriber } from "./subscriptions.ts";

/** Maximum time that a page waits for the prices of the plans. */
const PRICES_TIMEOUT_MS = 2000;

export interface PricedPlan extends Pick<Plan, "id" | "name"> {
  /** The price; undefined while the payment platform has not reported it. */
  readonly price: PlanPrice | undefined;
}

/** How an account can get Pro on this server, and how it pays for it (selling, "Pro"). */
export interface ProDescription {
  /** The URL of the operator's own payment page, if it has one. */
  readonly upgradeUrl: string | undefined;
  readonly plans: readonly PricedPlan[];
  /** The subscription; undefined unless the account pays here. */
  readonly subscription: ProSubscription | undefined;
  /** Whether the account has ever paid here, so that it has bills. */
  readonly hasPaid: boolean;
}

export interface ProSubscription {
  /** The name of the plan; undefined for a plan that is no longer sold. */
  readonly plan: string | undefined;
  /** Whether a payment failed and the payment platform will try again. */
  readonly isLate: boolean;
  /** End of the paid period. */
  readonly paidUntilMs: number;
  /** Whether the subscription ends after the paid period, because it was cancelled. */
  readonly endsThen: boolean;
}

/** Describes how an account can get Pro, and what it pays. */
export async function describePro(ctx: Ctx, userId: string): Promise<ProDescription> {
  const { upgradeUrl, payments } = ctx.config;
  const plans = payments?.plans ?? [];
  const subscriber = payments && (await findSubscriber(ctx.db, userId));
  const prices = plans.length === 0 ? new Map<string, PlanPrice>() : await findPrices(ctx);
  return {
    upgradeUrl,
    plans: plans.map(({ id, name, stripePrice }) => ({ id, name, price: prices.get(stripePrice) })),
    subscription: subscriber && toSubscription(subscriber, plans),
    hasPaid: subscriber?.subscription_id != null,
  };
}

/** Reads the subscription from the payment platform when the person returns from its page, because a report may come later. Throws UNAVAILABLE. */
export async function refreshSubscription(ctx: Ctx, userId: string): Promise<void> {
  const subscriber = await findSubscriber(ctx.db, userId);
  if (subscriber) await syncSubscriber(ctx, subscriber);
}

function toSubscription(row: SubscriptionRow, plans: readonly Plan[]): ProSubscription | undefined {
  if (row.state === null || row.state === "ended" || row.period_ends_at === null) return undefined;
  return {
    plan: plans.find(({ id }) => id === row.plan)?.name,
    isLate: row.state === "late",
    paidUntilMs: row.period_ends_at,
    endsThen: row.ends_then === 1,
  };
}

/** Finds the prices by their IDs; empty if the payment platform does not respond in time. */
async function findPrices(ctx: Ctx): Promise<ReadonlyMap<string, PlanPrice>> {
  const none: ReadonlyMap<string, PlanPrice> = new Map();
  const found = usePayments(ctx, (payments) => payments.readPlanPrices()).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "UNAVAILABLE") return none;
    throw error;
  });
  return await withTimeout(found, PRICES_TIMEOUT_MS, () => none);
}
