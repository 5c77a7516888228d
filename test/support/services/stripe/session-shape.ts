import type { Stripe } from "stripe";
import type { NewSession } from "./session-fields.ts";
import { newId, type State } from "./state.ts";

interface Amounts {
  readonly currency: string;
  readonly total: number;
  readonly expiresAt: number;
}

export function toSession(state: State, params: NewSession, { currency, total, expiresAt }: Amounts): Stripe.Checkout.Session {
  const id = newId("cs_test");
  const isPayment = params.mode === "payment";
  return {
    id,
    object: "checkout.session",
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: params.automatic_tax?.enabled ?? false, liability: null, provider: null, status: null },
    billing_address_collection: params.billing_address_collection ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: state.now(),
    currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: params.customer ?? null,
    customer_account: null,
    customer_creation: isPayment ? (params.customer_creation ?? "if_required") : params.customer ? null : "always",
    customer_details: null,
    customer_email: params.customer_email ?? null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: isPayment
      ? {
          enabled: false,
          invoice_data: {
            account_tax_ids: null,
            custom_fields: null,
            description: null,
            footer: null,
            issuer: null,
            metadata: {},
            rendering_options: null,
          },
        }
      : null,
    livemode: false,
    locale: params.locale ?? null,
    managed_payments: null,
    metadata: params.metadata ?? {},
    mode: params.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: isPayment ? "if_required" : "always",
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: params.payment_method_types ?? ["card"],
    payment_status: "unpaid",
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: "open",
    submit_type: params.submit_type ?? null,
    subscription: null,
    success_url: params.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: `${state.baseUrl}/c/pay/${id}`,
    wallet_options: null,
  };
}
