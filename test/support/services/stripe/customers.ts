import { randomUUID } from "node:crypto";
import type { Stripe } from "stripe";
import { z } from "zod";
import { missing } from "./fault.ts";
import { email, metadata, oneOf, paged, shared, text, webUrl } from "./form.ts";
import { type Route, route, toPage, type World } from "./route.ts";
import { mergeMetadata, newId, type State } from "./state.ts";

const PORTAL_SECONDS = 300;

const changes = z.strictObject({
  ...shared,
  description: text(350).optional(),
  email: email().optional(),
  metadata: metadata().optional(),
  name: text(256).optional(),
});
type Changes = Omit<z.output<typeof changes>, "expand">;

const newPortal = z.strictObject({
  ...shared,
  customer: text(),
  configuration: text().optional(),
  flow_data: z
    .strictObject({
      type: oneOf("payment_method_update", "subscription_cancel"),
      subscription_cancel: z.strictObject({ subscription: text() }).optional(),
    })
    .optional(),
  locale: text(10).optional(),
  return_url: webUrl().optional(),
});

export const customerRoutes: readonly Route[] = [
  route("POST", "/v1/customers", changes, (world, { expand: _, ...params }) => createCustomer(world, params)),
  route("GET", "/v1/customers", z.strictObject({ ...paged, email: text(512).optional() }), ({ state }, { email: wanted, ...page }) =>
    toPage(
      [...state.customers.values()].filter((customer) => wanted === undefined || customer.email === wanted),
      page,
      "/v1/customers",
    ),
  ),
  route("GET", "/v1/customers/:id", z.strictObject(shared), ({ state }, _, id) => findCustomer(state, id, "id")),
  route("POST", "/v1/customers/:id", changes, ({ state, emit }, { expand: _, metadata: values, ...params }, id) => {
    const customer = findCustomer(state, id, "id");
    Object.assign(customer, params);
    customer.metadata = mergeMetadata(customer.metadata, values);
    emit("customer.updated", customer);
    return customer;
  }),
  route("POST", "/v1/billing_portal/sessions", newPortal, createPortal),
];

function findCustomer(state: State, id: string, param: string): Stripe.Customer {
  const customer = state.customers.get(id);
  if (!customer) throw missing("customer", id, param);
  return customer;
}

export function createCustomer({ state, emit }: World, { description, email: address, metadata: values, name }: Changes): Stripe.Customer {
  const customer: Stripe.Customer = {
    id: newId("cus"),
    object: "customer",
    address: null,
    balance: 0,
    created: state.now(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: description ?? null,
    discount: null,
    email: address ?? null,
    invoice_prefix: newId("i", 8).slice(2).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: mergeMetadata({}, values),
    name: name ?? null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  };
  state.customers.set(customer.id, customer);
  emit("customer.created", customer);
  return customer;
}

function createPortal({ state }: World, params: z.output<typeof newPortal>): Stripe.BillingPortal.Session {
  const customer = findCustomer(state, params.customer, "customer");
  const flow = params.flow_data;
  const canceled = flow?.subscription_cancel?.subscription;
  if (canceled !== undefined && state.subscriptions.get(canceled)?.customer !== customer.id) {
    throw missing("subscription", canceled, "flow_data[subscription_cancel][subscription]");
  }
  const secret = randomUUID();
  const returnUrl = params.return_url;
  state.links.set(secret, {
    kind: "portal",
    subject: customer.id,
    returnUrl,
    refreshUrl: undefined,
    expiresAt: state.now() + PORTAL_SECONDS,
    isUsed: false,
  });
  return {
    id: newId("bps"),
    object: "billing_portal.session",
    configuration: params.configuration ?? "bpc_default",
    created: state.now(),
    customer: customer.id,
    customer_account: null,
    flow: flow
      ? {
          after_completion: { hosted_confirmation: null, redirect: null, type: "portal_homepage" },
          customer_update: null,
          subscription_cancel: canceled === undefined ? null : { retention: null, subscription: canceled },
          subscription_pause: null,
          subscription_update: null,
          subscription_update_confirm: null,
          type: flow.type,
        }
      : null,
    livemode: false,
    locale: params.locale ?? null,
    on_behalf_of: null,
    return_url: returnUrl ?? null,
    url: `${state.baseUrl}/p/session/${secret}`,
  };
}
