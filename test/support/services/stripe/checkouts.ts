import type { Stripe } from "stripe";
import { z } from "zod";
import { invalid, missing } from "./fault.ts";
import { metadata, oneOf, paged, shared, text } from "./form.ts";
import { readLineItem } from "./line-items.ts";
import { type Route, route, toPage, type World } from "./route.ts";
import { checkSeller } from "./sellers.ts";
import { type NewSession, newSession } from "./session-fields.ts";
import { toSession } from "./session-shape.ts";
import { idOf, type State } from "./state.ts";

const MIN_SECONDS = 30 * 60;
const MAX_SECONDS = 24 * 60 * 60;
/** The smallest payment of each currency, in its smallest unit. */
const LEAST: Readonly<Record<string, number>> = { usd: 50, eur: 50, gbp: 30, cad: 50, aud: 50, chf: 50 };
const MOST = 99_999_999;
export const checkoutRoutes: readonly Route[] = [
  route("POST", "/v1/checkout/sessions", newSession, createSession),
  route(
    "GET",
    "/v1/checkout/sessions",
    z.strictObject({
      ...paged,
      customer: text().optional(),
      payment_intent: text().optional(),
      subscription: text().optional(),
      status: oneOf("complete", "expired", "open").optional(),
    }),
    ({ state }, { limit, starting_after, expand: _, ...filter }) => {
      const wanted = [...state.sessions.values()].filter((session) =>
        Object.entries(filter).every(([name, value]) => value === undefined || session[name as keyof typeof filter] === value),
      );
      return toPage(wanted, { limit, starting_after }, "/v1/checkout/sessions");
    },
  ),
  route("GET", "/v1/checkout/sessions/:id", z.strictObject(shared), ({ state }, _, id) => find(state, id)),
  route("GET", "/v1/checkout/sessions/:id/line_items", z.strictObject(paged), ({ state }, page, id) =>
    toPage([...(state.terms.get(find(state, id).id)?.lineItems ?? [])].reverse(), page, `/v1/checkout/sessions/${id}/line_items`),
  ),
  route(
    "POST",
    "/v1/checkout/sessions/:id",
    z.strictObject({ ...shared, metadata: metadata().optional() }),
    ({ state }, { metadata: values }, id) => Object.assign(find(state, id), values && { metadata: values }),
  ),
  route("POST", "/v1/checkout/sessions/:id/expire", z.strictObject(shared), (world, _, id) => {
    const session = find(world.state, id);
    if (session.status !== "open") {
      throw invalid(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
      );
    }
    return expireSession(world, session);
  }),
];

function find(state: State, id: string): Stripe.Checkout.Session {
  const session = state.sessions.get(id);
  if (!session) throw missing("checkout.session", id, "session");
  return session;
}

function createSession({ state }: World, params: NewSession): Stripe.Checkout.Session {
  const { mode } = params;
  if (mode === "setup") throw invalid("You can not pass `line_items` in `setup` mode.", { param: "line_items" });
  if ((params.ui_mode ?? "hosted_page") !== "hosted_page")
    throw invalid("`success_url` can only be set if `ui_mode` is `hosted_page`.", { param: "success_url" });
  const other = mode === "payment" ? "subscription_data" : "payment_intent_data";
  if (params[other]) throw invalid(`You can not pass \`${other}\` in \`${mode}\` mode.`, { param: other });
  if (mode === "subscription" && params.customer_creation)
    throw invalid("`customer_creation` can only be used in `payment` mode.", { param: "customer_creation" });
  if (params.customer && params.customer_email)
    throw invalid("You may only specify one of these parameters: customer, customer_email.", { param: "customer" });
  if (params.customer && !state.customers.has(params.customer)) throw missing("customer", params.customer, "customer");
  if (params.line_items.length > 100) throw invalid("Checkout does not support more than 100 line items.", { param: "line_items" });
  const lineItems = params.line_items.map((item, index) => readLineItem(state, item, mode, `line_items[${index}]`));
  const currency = lineItems[0]?.currency;
  if (currency === undefined) throw invalid(`You must provide at least one line item in \`${mode}\` mode.`, { param: "line_items" });
  if (lineItems.some((item) => item.currency !== currency)) {
    throw invalid("All prices on a Checkout Session must have the same currency.", { param: "line_items" });
  }
  const total = lineItems.reduce((sum, item) => sum + item.amount_total, 0);
  checkTotal(total, currency);
  checkTerms(state, params, total);
  const session = toSession(state, params, { currency, total, expiresAt: readExpiry(state, params.expires_at) });
  const data = params.payment_intent_data;
  state.sessions.set(session.id, session);
  state.terms.set(session.id, {
    lineItems,
    destination: data?.transfer_data?.destination,
    onBehalfOf: data?.on_behalf_of,
    applicationFee: data?.application_fee_amount,
    metadata: data?.metadata ?? params.subscription_data?.metadata ?? {},
    description: data?.description ?? params.subscription_data?.description,
    receiptEmail: data?.receipt_email,
  });
  return session;
}

function checkTotal(total: number, currency: string): void {
  const format = (cents: number): string => `$${(cents / 100).toFixed(2)} ${currency}`;
  const least = LEAST[currency];
  if (least === undefined)
    throw invalid(`Invalid currency: ${currency}. Stripe currently supports these currencies: ${Object.keys(LEAST).join(", ")}`, {
      param: "line_items[0][price_data][currency]",
    });
  if (total < least)
    throw invalid(`The Checkout Session's total amount due must add up to at least ${format(least)}`, { code: "amount_too_small" });
  if (total > MOST)
    throw invalid(`The Checkout Session's total amount due must be no more than ${format(MOST)}`, { code: "amount_too_large" });
}

function checkTerms(state: State, { payment_intent_data: data }: NewSession, total: number): void {
  const fee = data?.application_fee_amount;
  const destination = data?.transfer_data?.destination;
  if (fee !== undefined && destination === undefined) {
    throw invalid(
      "Can only apply an application_fee_amount when the PaymentIntent is attempting a direct payment (using an OAuth key or Stripe-Account header) or destination payment (using `transfer_data[destination]`).",
      { param: "payment_intent_data[application_fee_amount]" },
    );
  }
  if (fee !== undefined && fee > total) {
    throw invalid("The application fee cannot be greater than the total amount of the Checkout Session.", {
      param: "payment_intent_data[application_fee_amount]",
    });
  }
  checkSeller(state, { destination, onBehalfOf: data?.on_behalf_of });
}

function readExpiry(state: State, asked: number | undefined): number {
  const now = state.now();
  if (asked === undefined) return now + MAX_SECONDS;
  if (asked < now + MIN_SECONDS) {
    throw invalid("The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.", { param: "expires_at" });
  }
  if (asked > now + MAX_SECONDS) {
    throw invalid("The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.", { param: "expires_at" });
  }
  return asked;
}

/** Ends an open session, and its payment if that was tried and refused. */
export function expireSession({ state, emit }: World, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  session.status = "expired";
  session.url = null;
  const intent = state.intents.get(idOf(session.payment_intent) ?? "");
  if (intent) {
    Object.assign(intent, { status: "canceled", canceled_at: state.now(), cancellation_reason: "expired" });
    emit("payment_intent.canceled", intent);
  }
  emit("checkout.session.expired", session);
  return session;
}

/** Ends the sessions that have expired. */
export function expireOverdue(world: World): void {
  for (const session of world.state.sessions.values()) {
    if (session.status === "open" && session.expires_at <= world.state.now()) expireSession(world, session);
  }
}
