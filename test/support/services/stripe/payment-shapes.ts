import type { Stripe } from "stripe";
import { type CheckoutTerms, newId, type State, toList } from "./state.ts";

export interface NewIntent {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly terms: CheckoutTerms;
}

export function toIntent(state: State, { amount, currency, customer, terms }: NewIntent): Stripe.PaymentIntent {
  const id = newId("pi");
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: terms.applicationFee ?? null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic_async",
    client_secret: `${id}_secret_${newId("s", 25)}`,
    confirmation_method: "automatic",
    created: state.now(),
    currency,
    customer,
    customer_account: null,
    description: terms.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: terms.metadata,
    next_action: null,
    on_behalf_of: terms.onBehalfOf ?? null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: terms.receiptEmail ?? null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "requires_payment_method",
    transfer_data: terms.destination === undefined ? null : { destination: terms.destination },
    transfer_group: terms.destination === undefined ? null : `group_${id}`,
  };
}

/** The buyer's method of payment. `bank` settles days later. */
export type Method = "bank" | "card";

export function toCharge(state: State, intent: Stripe.PaymentIntent, email: string, method: Method): Stripe.Charge {
  const id = newId("ch");
  const destination = intent.transfer_data?.destination;
  return {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: intent.application_fee_amount,
    balance_transaction: null,
    billing_details: {
      address: { city: null, country: "US", line1: null, line2: null, postal_code: null, state: null },
      email,
      name: "A buyer",
      phone: null,
      tax_id: null,
    },
    calculated_statement_descriptor: "FILEHOST",
    captured: true,
    created: state.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: intent.on_behalf_of,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: "approved_by_network",
      reason: null,
      risk_level: "normal",
      risk_score: 20,
      seller_message: "Payment complete.",
      type: "authorized",
    },
    paid: false,
    payment_intent: intent.id,
    payment_method: newId("pm"),
    payment_method_details: method === "card" ? { card: toCard(intent.amount), type: "card" } : { type: "us_bank_account" },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: `${state.baseUrl}/receipts/${id}`,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "pending",
    transfer_data: destination === undefined ? null : { amount: null, destination },
    transfer_group: intent.transfer_group,
  };
}

function toCard(amount: number): Stripe.Charge.PaymentMethodDetails.Card {
  return {
    amount_authorized: amount,
    authorization_code: null,
    brand: "visa",
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
    country: "US",
    electronic_commerce_indicator: null,
    exp_month: 12,
    exp_year: 2034,
    fingerprint: null,
    funding: "credit",
    installments: null,
    last4: "4242",
    mandate: null,
    network: "visa",
    network_transaction_id: null,
    regulated_status: "unregulated",
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  };
}

/** Makes the transfer of a payment to a seller: the whole amount, because the operator's fee is taken from the seller's account. */
export function toTransfer(state: State, charge: Stripe.Charge, destination: string): Stripe.Transfer {
  const id = newId("tr");
  return {
    id,
    object: "transfer",
    amount: charge.amount,
    amount_reversed: 0,
    balance_transaction: null,
    created: state.now(),
    currency: charge.currency,
    description: null,
    destination,
    destination_payment: newId("py"),
    livemode: false,
    metadata: {},
    reversals: toList<Stripe.TransferReversal>([], `/v1/transfers/${id}/reversals`),
    reversed: false,
    source_transaction: charge.id,
    source_type: "card",
    transfer_group: charge.transfer_group,
  };
}

export function toFee(state: State, charge: Stripe.Charge, account: string, amount: number): Stripe.ApplicationFee {
  const id = newId("fee");
  return {
    id,
    object: "application_fee",
    account,
    amount,
    amount_refunded: 0,
    application: "ca_filehost",
    balance_transaction: null,
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    fee_source: { charge: charge.id, type: "charge" },
    livemode: false,
    originating_transaction: charge.id,
    refunded: false,
    refunds: toList<Stripe.FeeRefund>([], `/v1/application_fees/${id}/refunds`),
  };
}
