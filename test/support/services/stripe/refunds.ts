import type { Stripe } from "stripe";
import { z } from "zod";
import { invalid, missing } from "./fault.ts";
import { flag, integer, metadata, oneOf, paged, shared, text } from "./form.ts";
import { book, findCharge, findIntent } from "./payments.ts";
import { type Route, route, toPage, type World } from "./route.ts";
import { getKnown, idOf, newId, PLATFORM, type State } from "./state.ts";

const newRefund = z.strictObject({
  ...shared,
  amount: integer({ min: 1 }).optional(),
  charge: text().optional(),
  metadata: metadata().optional(),
  payment_intent: text().optional(),
  reason: oneOf("duplicate", "fraudulent", "requested_by_customer").optional(),
  refund_application_fee: flag().optional(),
  reverse_transfer: flag().optional(),
});
type NewRefund = z.output<typeof newRefund>;

export const refundRoutes: readonly Route[] = [
  route("POST", "/v1/refunds", newRefund, createRefund),
  route("GET", "/v1/refunds/:id", z.strictObject(shared), ({ state }, _, id) => {
    const refund = state.refunds.get(id);
    if (!refund) throw missing("refund", id, "id");
    return refund;
  }),
  route(
    "GET",
    "/v1/refunds",
    z.strictObject({ ...paged, charge: text().optional(), payment_intent: text().optional() }),
    ({ state }, { charge, payment_intent: intent, ...page }) => {
      const wanted = [...state.refunds.values()].filter(
        (refund) => (charge ?? refund.charge) === refund.charge && (intent ?? refund.payment_intent) === refund.payment_intent,
      );
      return toPage(wanted, page, "/v1/refunds");
    },
  ),
];

function chargeOf(state: State, { charge, payment_intent: intent }: NewRefund): Stripe.Charge {
  if (charge !== undefined && intent !== undefined) throw invalid("You may only specify one of these parameters: charge, payment_intent.");
  if (charge !== undefined) return findCharge(state, charge, "charge");
  if (intent === undefined) throw invalid("One of the following params should be provided for this request: payment_intent or charge.");
  const { status, latest_charge: latest } = findIntent(state, intent, "payment_intent");
  if (status !== "succeeded") {
    throw invalid(`This PaymentIntent (${intent}) does not have a successful charge to refund.`, { param: "payment_intent" });
  }
  return getKnown(state.charges.get(idOf(latest) ?? ""), "charge of the payment");
}

/** Refunds a charge, in full or in part. Throws a StripeFault if Stripe refuses. */
export function createRefund(world: World, params: NewRefund): Stripe.Refund {
  const { state, emit } = world;
  const charge = chargeOf(state, params);
  checkRefund(state, charge, params);
  const amount = params.amount ?? charge.amount - charge.amount_refunded;
  const refund = toRefund(state, charge, amount, params);
  state.refunds.set(refund.id, refund);
  book(state, charge, PLATFORM, "refund", -amount);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  if (params.reverse_transfer) refund.transfer_reversal = reverseTransfer(world, charge, refund).id;
  if (params.refund_application_fee) refundFee(world, charge);
  emit("refund.created", refund);
  emit("charge.refunded", charge, { previous: { amount_refunded: charge.amount_refunded - amount } });
  emit("refund.updated", refund);
  return refund;
}

function checkRefund(state: State, charge: Stripe.Charge, params: NewRefund): void {
  const left = charge.amount - charge.amount_refunded;
  const format = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
  if (charge.status !== "succeeded") throw invalid(`Charge ${charge.id} has not succeeded and cannot be refunded.`);
  if (left === 0) throw invalid(`Charge ${charge.id} has already been refunded.`, { code: "charge_already_refunded" });
  const isContested = [...state.disputes.values()].some((dispute) => dispute.charge === charge.id && isFinal(dispute));
  if (isContested) {
    throw invalid(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: "charge_disputed" });
  }
  if ((params.amount ?? 0) > left) {
    throw invalid(`Refund amount (${format(params.amount ?? 0)}) is greater than unrefunded amount on charge (${format(left)})`, {
      param: "amount",
    });
  }
  if (params.refund_application_fee && charge.application_fee === null) {
    throw invalid(`Attempting to refund_application_fee on ${charge.id}, but it has no application fee`, {
      param: "refund_application_fee",
    });
  }
  if (params.reverse_transfer && charge.transfer === undefined) {
    throw invalid(`Cannot reverse transfer for charge ${charge.id} because it does not have an associated transfer.`, {
      param: "reverse_transfer",
    });
  }
}

/** Whether the bank has taken the money. An inquiry, or a dispute that was won, does not prevent a refund. */
const isFinal = ({ status }: Stripe.Dispute): boolean => !status.startsWith("warning_") && status !== "won";

function toRefund(state: State, charge: Stripe.Charge, amount: number, params: NewRefund): Stripe.Refund {
  return {
    id: newId("re"),
    object: "refund",
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    metadata: params.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: params.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: "succeeded",
    transfer_reversal: null,
  };
}

/** Takes the refund's part of the transfer back from the seller. */
function reverseTransfer({ state, emit }: World, charge: Stripe.Charge, refund: Stripe.Refund): Stripe.TransferReversal {
  const transfer = getKnown(state.transfers.get(idOf(charge.transfer) ?? ""), "transfer of the charge");
  const amount = Math.round((transfer.amount * charge.amount_refunded) / charge.amount) - transfer.amount_reversed;
  const reversal: Stripe.TransferReversal = {
    id: newId("trr"),
    object: "transfer_reversal",
    amount,
    balance_transaction: null,
    created: state.now(),
    currency: charge.currency,
    destination_payment_refund: newId("pyr"),
    metadata: {},
    source_refund: refund.id,
    transfer: transfer.id,
  };
  state.transferReversals.set(reversal.id, reversal);
  transfer.amount_reversed += amount;
  transfer.reversed = transfer.amount_reversed === transfer.amount;
  transfer.reversals.data.unshift(reversal);
  book(state, charge, PLATFORM, "transfer_reversal", amount);
  book(state, charge, idOf(transfer.destination) ?? "", "payment_refund", -amount);
  emit("transfer.reversed", transfer);
  return reversal;
}

/** Returns the refund's part of the operator's fee to the seller. */
function refundFee({ state, emit }: World, charge: Stripe.Charge): void {
  const fee = getKnown(state.fees.get(idOf(charge.application_fee) ?? ""), "fee of the charge");
  const amount = Math.round((fee.amount * charge.amount_refunded) / charge.amount) - fee.amount_refunded;
  if (amount === 0) return;
  fee.amount_refunded += amount;
  fee.refunded = fee.amount_refunded === fee.amount;
  fee.refunds.data.unshift({
    id: newId("fr"),
    object: "fee_refund",
    amount,
    balance_transaction: null,
    created: state.now(),
    currency: fee.currency,
    fee: fee.id,
    metadata: {},
  });
  book(state, charge, PLATFORM, "application_fee_refund", -amount);
  book(state, charge, idOf(fee.account) ?? "", "application_fee_refund", amount);
  emit("application_fee.refunded", fee);
}
