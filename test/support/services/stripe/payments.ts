import type { Stripe } from "stripe";
import { z } from "zod";
import { missing } from "./fault.ts";
import { paged, shared, text } from "./form.ts";
import { type Method, toCharge, toFee, toIntent, toTransfer } from "./payment-shapes.ts";
import { type Route, route, toPage, type World } from "./route.ts";
import { type CheckoutTerms, getKnown, idOf, type LedgerEntry, PLATFORM, type State } from "./state.ts";

export const paymentRoutes: readonly Route[] = [
  route("GET", "/v1/payment_intents/:id", z.strictObject(shared), ({ state }, _, id) => findIntent(state, id, "intent")),
  route("GET", "/v1/payment_intents", z.strictObject({ ...paged, customer: text().optional() }), ({ state }, { customer, ...page }) =>
    toPage(
      [...state.intents.values()].filter((intent) => customer === undefined || intent.customer === customer),
      page,
      "/v1/payment_intents",
    ),
  ),
  route("GET", "/v1/charges/:id", z.strictObject(shared), ({ state }, _, id) => findCharge(state, id, "id")),
  route(
    "GET",
    "/v1/charges",
    z.strictObject({ ...paged, payment_intent: text().optional() }),
    ({ state }, { payment_intent: intent, ...page }) =>
      toPage(
        [...state.charges.values()].filter((charge) => intent === undefined || charge.payment_intent === intent),
        page,
        "/v1/charges",
      ),
  ),
];

export function findIntent(state: State, id: string, param: string): Stripe.PaymentIntent {
  const intent = state.intents.get(id);
  if (!intent) throw missing("payment_intent", id, param);
  return intent;
}

export function findCharge(state: State, id: string, param: string): Stripe.Charge {
  const charge = state.charges.get(id);
  if (!charge) throw missing("charge", id, param);
  return charge;
}

/** Books money of a charge. `amountCents` is the amount that the account gets, or loses if it is below 0. */
export function book(state: State, charge: Stripe.Charge, account: string, type: LedgerEntry["type"], amountCents: number): void {
  if (amountCents !== 0) state.ledger.push({ account, type, amountCents, charge: charge.id });
}

/** Calculates the fee of Stripe for a payment: 2.9 % and 30 cents. */
const stripeFeeOf = (amountCents: number): number => Math.round(amountCents * 0.029) + 30;

export interface NewPayment {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly terms: CheckoutTerms;
  readonly email: string;
  readonly method: Method;
  /** The intent of a payment that was tried before and refused. */
  readonly intent?: Stripe.PaymentIntent | undefined;
}

/** Begins a payment, which `succeed` or `fail` ends. */
export function beginPayment({ state, emit }: World, payment: NewPayment): Stripe.Charge {
  const intent = payment.intent ?? toIntent(state, payment);
  if (!state.intents.has(intent.id)) {
    state.intents.set(intent.id, intent);
    emit("payment_intent.created", intent);
  }
  const charge = toCharge(state, intent, payment.email, payment.method);
  state.charges.set(charge.id, charge);
  intent.latest_charge = charge.id;
  intent.payment_method = charge.payment_method;
  intent.last_payment_error = null;
  intent.status = "processing";
  if (payment.method === "bank") {
    emit("payment_intent.processing", intent);
    emit("charge.pending", charge);
  }
  return charge;
}

/** Books the money of a payment that has arrived, and moves the seller's part. */
export function succeed(world: World, charge: Stripe.Charge): void {
  const { state, emit } = world;
  const intent = findIntent(state, idOf(charge.payment_intent) ?? "", "payment_intent");
  Object.assign(intent, { status: "succeeded", amount_received: intent.amount });
  Object.assign(charge, { status: "succeeded", paid: true, amount_captured: charge.amount });
  book(state, charge, PLATFORM, "charge", charge.amount);
  book(state, charge, PLATFORM, "stripe_fee", -stripeFeeOf(charge.amount));
  const seller = idOf(charge.transfer_data?.destination);
  if (seller !== undefined) transferTo(world, charge, seller);
  emit("charge.succeeded", charge);
  emit("payment_intent.succeeded", intent);
}

function transferTo({ state, emit }: World, charge: Stripe.Charge, seller: string): void {
  const transfer = toTransfer(state, charge, seller);
  state.transfers.set(transfer.id, transfer);
  charge.transfer = transfer.id;
  book(state, charge, PLATFORM, "transfer", -transfer.amount);
  book(state, charge, seller, "payment", transfer.amount);
  emit("transfer.created", transfer);
  const amount = charge.application_fee_amount;
  if (!amount) return;
  const fee = toFee(state, charge, seller, amount);
  state.fees.set(fee.id, fee);
  charge.application_fee = fee.id;
  book(state, charge, seller, "application_fee", -amount);
  book(state, charge, PLATFORM, "application_fee", amount);
  emit("application_fee.created", fee);
}

/** Refuses the payment. The buyer can try again while the checkout is open. */
export function fail({ state, emit }: World, charge: Stripe.Charge): void {
  const intent = getKnown(state.intents.get(idOf(charge.payment_intent) ?? ""), "payment");
  const isCard = charge.payment_method_details?.type === "card";
  const message = isCard ? "Your card was declined." : "The customer's bank account could not be debited.";
  const code = isCard ? "card_declined" : "payment_intent_payment_attempt_failed";
  Object.assign(charge, { status: "failed", captured: false, failure_code: code, failure_message: message });
  Object.assign(intent, { status: "requires_payment_method", payment_method: null });
  intent.last_payment_error = { type: isCard ? "card_error" : "invalid_request_error", charge: charge.id, code, message };
  emit("charge.failed", charge);
  emit("payment_intent.payment_failed", intent);
}
