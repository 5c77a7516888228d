import type { Ctx } from "../../context.ts";
import type { SubscriptionRow } from "../../db/tables/selling.ts";
import { AppError, invalidField } from "../../errors.ts";
import type { Plan } from "../../pay/stripe-settings.ts";
import type { UserActor } from "../accounts/actor.ts";
import { requireAsDefined } from "../accounts/requirements.ts";
import { findUser } from "../accounts/users.ts";
import type { Operation } from "../operation.ts";
import { usePayments } from "../selling/payments.ts";
import { findSubscriber } from "../selling/subscribers.ts";
import { billingContract } from "./contract.ts";
import { addSubscriber, awaitSubscription, forgetSubscriptions, syncSubscriber } from "./subscriptions.ts";

const USAGE_PATH = "/settings/usage";

/**
 * `POST /billing/checkout`: returns the payment page for Pro. Throws SELLING_OFF, VALIDATION_FAILED for an unknown plan, CONFLICT if the account
 * already pays, UNAVAILABLE (selling, "Pro").
 */
export const createUpgradeCheckout: Operation<"createUpgradeCheckout"> = async (ctx, call, { plan: planId, locale }) => {
  const { upgradeUrl, payments } = ctx.config;
  if (upgradeUrl !== undefined) return { checkoutUrl: upgradeUrl };
  if (!payments || payments.plans.length === 0) throw proNotSold();
  const user = requireAsDefined(ctx, call, billingContract.createUpgradeCheckout);
  const plan = choosePlan(payments.plans, planId);
  const subscriber = await ensureSubscriber(ctx, user);
  // Ends open checkouts of other tabs, so that nobody pays twice. Checks for a payment afterwards, because one may have completed just before.
  await usePayments(ctx, (payments) => payments.endSubscriptionCheckouts(subscriber.customer));
  await checkNotPaying(ctx, subscriber);
  await ctx.transaction((ctx) => awaitSubscription(ctx, subscriber));
  const page = ctx.urls.siteUrl + USAGE_PATH;
  const language = locale?.split("-")[0]?.toLowerCase() ?? call.language;
  const checkout = await usePayments(ctx, (payments) =>
    payments.openSubscription({
      customer: subscriber.customer,
      userId: user.userId,
      plan: plan.id,
      price: plan.stripePrice,
      successUrl: `${page}?paid`,
      cancelUrl: page,
      language,
    }),
  );
  return { checkoutUrl: checkout.url };
};

/** `POST /billing/portal`. Throws SELLING_OFF, CONFLICT for an account that never paid here, UNAVAILABLE. */
export const createBillingPortal: Operation<"createBillingPortal"> = async (ctx, call) => {
  const { userId } = requireAsDefined(ctx, call, billingContract.createBillingPortal);
  const subscriber = await usePayments(ctx, async () => await findSubscriber(ctx.db, userId));
  if (subscriber?.subscription_id == null) throw hasNotPaid();
  const { customer } = subscriber;
  const portalUrl = await usePayments(ctx, (payments) => payments.createPortalLink(customer, ctx.urls.siteUrl + USAGE_PATH));
  if (portalUrl !== undefined) return { portalUrl };
  await ctx.transaction((ctx) => forgetSubscriptions(ctx, customer));
  throw hasNotPaid();
};

const hasNotPaid = (): AppError =>
  new AppError(
    "CONFLICT",
    "This account has not paid for Pro here, as far as the payment platform knows. Start with POST /billing/checkout.",
  );

function choosePlan(plans: readonly Plan[], id: string | null | undefined): Plan {
  const [only, ...others] = plans;
  const plan = id ? plans.find((plan) => plan.id === id) : others.length === 0 ? only : undefined;
  if (plan) return plan;
  throw invalidField("plan", `Choose one of the plans: ${plans.map(({ id, name }) => `${id} (${name})`).join(", ")}.`);
}

/** Returns the account's subscriber at the payment platform. Creates another one if the platform no longer knows it. */
async function ensureSubscriber(ctx: Ctx, { userId }: UserActor): Promise<SubscriptionRow> {
  const found = await findSubscriber(ctx.db, userId);
  if (found && (await usePayments(ctx, (payments) => payments.knowsCustomer(found.customer)))) return found;
  const lost = found?.customer;
  const user = await findUser(ctx.db, userId);
  const email = user?.email_verified === 1 ? user.email : undefined;
  const customer = await usePayments(ctx, (payments) => payments.createCustomer({ userId, email, lost }));
  return await ctx.transaction((ctx) => addSubscriber(ctx, { userId, customer, lost }));
}

/** Asks the payment platform for the current state, so that nobody pays twice while a report is late. */
async function checkNotPaying(ctx: Ctx, { customer }: SubscriptionRow): Promise<void> {
  const running = await usePayments(ctx, (payments) => payments.listSubscriptions(customer));
  if (running.length === 0) return;
  await syncSubscriber(ctx, { customer });
  throw new AppError("CONFLICT", "This account pays for Pro already. Change or cancel it with POST /billing/portal.");
}

const proNotSold = (): AppError => new AppError("SELLING_OFF", "Pro is not sold on this server. Ask its administrator.");
