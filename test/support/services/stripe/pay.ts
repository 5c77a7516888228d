import type { Stripe } from "stripe";
import { startSubscription } from "./billing.ts";
import { expireSession } from "./checkouts.ts";
import { createCustomer } from "./customers.ts";
import type { Method } from "./payment-shapes.ts";
import { beginPayment, fail, succeed } from "./payments.ts";
import type { World } from "./route.ts";
import { checkSeller } from "./sellers.ts";
import { getKnown, idOf } from "./state.ts";

export interface Payer {
  readonly email?: string;
  readonly name?: string;
}

/** Creates controls for the actions of buyers on the checkout page, and of banks afterwards. IDs belong to checkouts; an impossible step throws. */
export function createCheckoutControls(world: World) {
  const { state, emit } = world;
  const open = (id: string): Stripe.Checkout.Session => {
    const session = getKnown(state.sessions.get(id), "checkout");
    if (session.status !== "open") throw new Error(`The checkout ${id} is ${session.status}: nothing can be paid.`);
    return session;
  };
  const begin = (session: Stripe.Checkout.Session, method: Method, { email = session.customer_email ?? "buyer@example.org" }: Payer) => {
    const terms = getKnown(state.terms.get(session.id), "checkout's terms");
    checkSeller(state, terms);
    const intent = state.intents.get(idOf(session.payment_intent) ?? "");
    const amount = session.amount_total ?? 0;
    const currency = session.currency ?? "usd";
    const customer = idOf(session.customer) ?? null;
    const charge = beginPayment(world, { amount, currency, customer, terms, email, method, intent });
    session.payment_intent = charge.payment_intent;
    return charge;
  };
  const complete = (
    session: Stripe.Checkout.Session,
    { email = session.customer_email ?? "buyer@example.org", name = "A buyer" }: Payer,
  ) => {
    session.customer_details = {
      address: { city: null, country: "US", line1: null, line2: null, postal_code: null, state: null },
      business_name: null,
      email,
      individual_name: null,
      name,
      phone: null,
      tax_exempt: "none",
      tax_ids: [],
    };
    Object.assign(session, { status: "complete", url: null });
  };
  const subscribe = (session: Stripe.Checkout.Session, payer: Payer): void => {
    const { lineItems, metadata, description } = getKnown(state.terms.get(session.id), "checkout's terms");
    complete(session, payer);
    const email = session.customer_details?.email ?? "";
    const known = state.customers.get(idOf(session.customer) ?? "");
    const customer = known ?? createCustomer(world, { email, name: session.customer_details?.name ?? undefined });
    const items = lineItems.map((item) => ({ price: getKnown(item.price, "price"), quantity: item.quantity ?? 1 }));
    const subscription = startSubscription(world, { customer, items, metadata, description });
    Object.assign(session, {
      customer: customer.id,
      invoice: idOf(subscription.latest_invoice),
      subscription: subscription.id,
      payment_status: "paid",
    });
    emit("checkout.session.completed", session);
  };
  const settle = (id: string): { session: Stripe.Checkout.Session; charge: Stripe.Charge } => {
    const session = getKnown(state.sessions.get(id), "checkout");
    const charge = state.charges.get(idOf(state.intents.get(idOf(session.payment_intent) ?? "")?.latest_charge) ?? "");
    if (session.status !== "complete" || charge?.status !== "pending") throw new Error(`The checkout ${id} has no payment under way.`);
    return { session, charge };
  };
  return {
    /** Pays by card. A subscription begins. */
    pay(id: string, payer: Payer = {}): void {
      const session = open(id);
      if (session.mode === "subscription") {
        subscribe(session, payer);
        return;
      }
      const charge = begin(session, "card", payer);
      complete(session, payer);
      session.payment_status = "paid";
      succeed(world, charge);
      emit("checkout.session.completed", session);
    },
    /** Pays from a bank account. The checkout is complete and unpaid until `succeedLater` or `failLater`. */
    payLater(id: string, payer: Payer = {}): void {
      const session = open(id);
      if (session.mode === "subscription") throw new Error("Subscriptions are paid by card here.");
      begin(session, "bank", payer);
      complete(session, payer);
      emit("checkout.session.completed", session);
    },
    succeedLater(id: string): void {
      const { session, charge } = settle(id);
      succeed(world, charge);
      session.payment_status = "paid";
      emit("checkout.session.async_payment_succeeded", session);
    },
    failLater(id: string): void {
      const { session, charge } = settle(id);
      fail(world, charge);
      emit("checkout.session.async_payment_failed", session);
    },
    /** Refuses the card. The checkout stays open. */
    decline(id: string, payer: Payer = {}): void {
      const session = open(id);
      if (session.mode === "payment") fail(world, begin(session, "card", payer));
    },
    /** Removes the checkout from Stripe, as if the key belonged to another account. */
    forget: (id: string): void => void state.sessions.delete(id),
    /** Expires the checkout. */
    expire: (id: string): void => void expireSession(world, open(id)),
  };
}

export type CheckoutControls = ReturnType<typeof createCheckoutControls>;
