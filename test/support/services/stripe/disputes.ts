import type { Stripe } from "stripe";
import { z } from "zod";
import { missing } from "./fault.ts";
import { paged, shared, text } from "./form.ts";
import { book } from "./payments.ts";
import { type Route, route, toPage, type World } from "./route.ts";
import { getKnown, idOf, newId, PLATFORM, type State } from "./state.ts";

/** The fee of a bank for each dispute, which the platform always pays. */
const DISPUTE_FEE_CENTS = 1500;
const ANSWER_SECONDS = 9 * 24 * 60 * 60;

export const disputeRoutes: readonly Route[] = [
  route(
    "GET",
    "/v1/disputes",
    z.strictObject({ ...paged, charge: text().optional(), payment_intent: text().optional() }),
    ({ state }, { charge, payment_intent: intent, ...page }) => {
      const wanted = [...state.disputes.values()].filter(
        (dispute) => (charge ?? dispute.charge) === dispute.charge && (intent ?? dispute.payment_intent) === dispute.payment_intent,
      );
      return toPage(wanted, page, "/v1/disputes");
    },
  ),
  route("GET", "/v1/disputes/:id", z.strictObject(shared), ({ state }, _, id) => {
    const dispute = state.disputes.get(id);
    if (!dispute) throw missing("dispute", id, "id");
    return dispute;
  }),
];

/** Creates controls for the actions of a buyer's bank. */
export function createDisputeControls({ state, emit }: World) {
  const close = (id: string, outcome: "lost" | "won"): void => {
    const dispute = getKnown(state.disputes.get(id), "dispute");
    if (!/needs_response|under_review/.test(dispute.status)) throw new Error(`The dispute ${id} is ${dispute.status} already.`);
    const isInquiry = dispute.status.startsWith("warning_");
    dispute.status = isInquiry ? "warning_closed" : outcome;
    if (outcome === "won" && !isInquiry) {
      const charge = getKnown(state.charges.get(idOf(dispute.charge) ?? ""), "charge");
      book(state, charge, PLATFORM, "dispute_reversal", dispute.amount);
      emit("charge.dispute.funds_reinstated", dispute);
    }
    emit("charge.dispute.closed", dispute);
  };
  return {
    /** Disputes a payment, as the buyer does; with `inquiry`, the bank asks before it takes the money. Returns the ID of the dispute. */
    open(intentId: string, { inquiry = false }: { readonly inquiry?: boolean } = {}): string {
      const charge = getKnown(state.charges.get(idOf(state.intents.get(intentId)?.latest_charge) ?? ""), "paid payment with this ID");
      const left = charge.amount - charge.amount_refunded;
      if (charge.status !== "succeeded" || left === 0)
        throw new Error("Only a payment that succeeded and is not refunded can be contested.");
      const dispute = toDispute(state, charge, left, inquiry);
      state.disputes.set(dispute.id, dispute);
      charge.disputed = true;
      emit("charge.dispute.created", dispute);
      if (!inquiry) {
        book(state, charge, PLATFORM, "dispute", -left);
        book(state, charge, PLATFORM, "dispute_fee", -DISPUTE_FEE_CENTS);
        emit("charge.dispute.funds_withdrawn", dispute);
      }
      return dispute.id;
    },
    /** Submits evidence, as the operator does, on which the bank decides. */
    submitEvidence(id: string): void {
      const dispute = getKnown(state.disputes.get(id), "dispute");
      dispute.status = dispute.status.startsWith("warning_") ? "warning_under_review" : "under_review";
      emit("charge.dispute.updated", dispute);
    },
    /** Closes the dispute in favour of the platform; an inquiry is closed. */
    win: (id: string) => close(id, "won"),
    lose: (id: string) => close(id, "lost"),
  };
}

function toDispute(state: State, charge: Stripe.Charge, amount: number, isInquiry: boolean): Stripe.Dispute {
  return {
    id: newId("dp"),
    object: "dispute",
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {
      access_activity_log: null,
      billing_address: null,
      cancellation_policy: null,
      cancellation_policy_disclosure: null,
      cancellation_rebuttal: null,
      customer_communication: null,
      customer_email_address: charge.billing_details.email,
      customer_name: charge.billing_details.name,
      customer_purchase_ip: null,
      customer_signature: null,
      duplicate_charge_documentation: null,
      duplicate_charge_explanation: null,
      duplicate_charge_id: null,
      enhanced_evidence: {},
      product_description: null,
      receipt: null,
      refund_policy: null,
      refund_policy_disclosure: null,
      refund_refusal_explanation: null,
      service_date: null,
      service_documentation: null,
      shipping_address: null,
      shipping_carrier: null,
      shipping_date: null,
      shipping_documentation: null,
      shipping_tracking_number: null,
      uncategorized_file: null,
      uncategorized_text: null,
    },
    evidence_details: {
      due_by: state.now() + ANSWER_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: "fraudulent",
    status: isInquiry ? "warning_needs_response" : "needs_response",
  };
}
