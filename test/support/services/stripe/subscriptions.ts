import type { Stripe } from "stripe";
import { z } from "zod";
import { end, isEnded, periodEndOf, scheduleEnd } from "./billing.ts";
import { invalid, missing } from "./fault.ts";
import { flag, integer, metadata, oneOf, paged, shared, text } from "./form.ts";
import { type Route, route, toPage } from "./route.ts";
import { mergeMetadata, type State } from "./state.ts";

const STATUSES = ["active", "canceled", "incomplete", "incomplete_expired", "past_due", "paused", "trialing", "unpaid"] as const;

const changes = z.strictObject({
  ...shared,
  cancel_at: integer({ min: 0 }).optional(),
  cancel_at_period_end: flag().optional(),
  metadata: metadata().optional(),
  // An empty value resumes payments.
  pause_collection: z.union([z.strictObject({ behavior: oneOf("keep_as_draft", "mark_uncollectible", "void") }), z.literal("")]).optional(),
});

export const subscriptionRoutes: readonly Route[] = [
  route("GET", "/v1/subscriptions/:id", z.strictObject(shared), ({ state }, _, id) => find(state, id)),
  route(
    "GET",
    "/v1/subscriptions",
    z.strictObject({
      ...paged,
      customer: text().optional(),
      price: text().optional(),
      status: oneOf(...STATUSES, "all", "ended").optional(),
    }),
    ({ state }, { customer, price, status, ...page }) => {
      const wanted = [...state.subscriptions.values()].filter(
        (subscription) =>
          (customer ?? subscription.customer) === subscription.customer &&
          (price === undefined || subscription.items.data.some((item) => item.price.id === price)) &&
          hasStatus(subscription, status),
      );
      return toPage(wanted, page, "/v1/subscriptions");
    },
  ),
  route("POST", "/v1/subscriptions/:id", changes, (world, params, id) => {
    const subscription = find(world.state, id);
    if (params.cancel_at !== undefined && params.cancel_at_period_end !== undefined) {
      throw invalid("You may only specify one of these parameters: cancel_at, cancel_at_period_end.", { param: "cancel_at" });
    }
    if (isEnded(subscription)) throw invalid("A canceled subscription can only update its cancellation_details and metadata.");
    if (params.metadata) subscription.metadata = mergeMetadata(subscription.metadata, params.metadata);
    if (params.cancel_at_period_end !== undefined) {
      scheduleEnd(world, subscription, params.cancel_at_period_end ? periodEndOf(subscription) : null);
      subscription.cancel_at_period_end = params.cancel_at_period_end;
    }
    if (params.pause_collection !== undefined) {
      const pause = params.pause_collection === "" ? null : { ...params.pause_collection, resumes_at: null };
      subscription.pause_collection = pause;
    }
    if (params.cancel_at !== undefined) scheduleEnd(world, subscription, params.cancel_at);
    world.emit("customer.subscription.updated", subscription);
    return subscription;
  }),
  route(
    "DELETE",
    "/v1/subscriptions/:id",
    z.strictObject({ ...shared, invoice_now: flag().optional(), prorate: flag().optional() }),
    (world, _, id) => {
      const subscription = find(world.state, id);
      if (isEnded(subscription)) throw missing("subscription", id, "id");
      return end(world, subscription, "cancellation_requested");
    },
  ),
  route(
    "GET",
    "/v1/invoices",
    z.strictObject({
      ...paged,
      customer: text().optional(),
      subscription: text().optional(),
      status: oneOf("draft", "open", "paid", "uncollectible", "void").optional(),
    }),
    ({ state }, { customer, subscription, status, ...page }) =>
      toPage(
        [...state.invoices.values()].filter(
          (invoice) =>
            (customer ?? invoice.customer) === invoice.customer &&
            (subscription === undefined || invoice.parent?.subscription_details?.subscription === subscription) &&
            (status ?? invoice.status) === invoice.status,
        ),
        page,
        "/v1/invoices",
      ),
  ),
  route("GET", "/v1/invoices/:id", z.strictObject(shared), ({ state }, _, id) => {
    const invoice = state.invoices.get(id);
    if (!invoice) throw missing("invoice", id, "invoice");
    return invoice;
  }),
  route("GET", "/v1/prices/:id", z.strictObject(shared), ({ state }, _, id) => {
    const price = state.prices.get(id);
    if (!price) throw missing("price", id, "price");
    return price;
  }),
  route("GET", "/v1/products/:id", z.strictObject(shared), ({ state }, _, id) => {
    const product = state.products.get(id);
    if (!product) throw missing("product", id, "id");
    return product;
  }),
];

function find(state: State, id: string): Stripe.Subscription {
  const subscription = state.subscriptions.get(id);
  if (!subscription) throw missing("subscription", id, "id");
  return subscription;
}

/** Whether a list for `status` includes the subscription. Without a status, it includes those that have not been canceled. */
function hasStatus(subscription: Stripe.Subscription, status: string | undefined): boolean {
  if (status === "all") return true;
  if (status === "ended") return isEnded(subscription) || subscription.status === "incomplete_expired";
  return status === undefined ? !isEnded(subscription) : subscription.status === status;
}
