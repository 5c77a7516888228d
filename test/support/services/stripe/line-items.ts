import { Stripe } from "stripe";
import { z } from "zod";
import { invalid, missing } from "./fault.ts";
import { integer, list, metadata, oneOf, text, webUrl } from "./form.ts";
import { newId, type State } from "./state.ts";

const recurring = z.strictObject({
  interval: oneOf("day", "month", "week", "year"),
  interval_count: integer({ min: 1, max: 1095 }).optional(),
});

export const lineItem = z.strictObject({
  price: text().optional(),
  price_data: z
    .strictObject({
      currency: text(3),
      unit_amount: integer({ min: 0 }),
      product: text().optional(),
      product_data: z
        .strictObject({ name: text(), description: text().optional(), images: list(webUrl()).optional(), metadata: metadata().optional() })
        .optional(),
      recurring: recurring.optional(),
    })
    .optional(),
  quantity: integer({ min: 1, max: 999_999 }),
  metadata: metadata().optional(),
});

/** Finds the price that a line item of a checkout names, or makes the price that it describes. Throws a StripeFault if it does not match the mode. */
export function readLineItem(state: State, item: z.output<typeof lineItem>, mode: string, param: string): Stripe.LineItem {
  if (item.price !== undefined && item.price_data) {
    throw invalid("You may only specify one of these parameters: price, price_data.", { param: `${param}[price]` });
  }
  const price = item.price_data ? makePrice(state, item.price_data, param) : findPrice(state, item.price, param);
  if (mode === "payment" && price.recurring) {
    throw invalid(
      "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.",
      { param },
    );
  }
  if (mode === "subscription" && !price.recurring) {
    throw invalid("You must provide at least one recurring price in `subscription` mode when using prices.", { param });
  }
  const amount = (price.unit_amount ?? 0) * item.quantity;
  return {
    id: newId("li"),
    object: "item",
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: nameOf(state, price),
    metadata: item.metadata ?? {},
    price,
    quantity: item.quantity,
  };
}

const nameOf = (state: State, { product }: Stripe.Price): string | null =>
  (typeof product === "string" ? state.products.get(product)?.name : undefined) ?? null;

function findPrice(state: State, id: string | undefined, param: string): Stripe.Price {
  if (id === undefined) throw invalid(`Missing required param: ${param}[price].`, { code: "parameter_missing", param: `${param}[price]` });
  const price = state.prices.get(id);
  if (!price) throw missing("price", id, `${param}[price]`);
  if (!price.active) throw invalid(`The price specified is inactive. This field only accepts active prices.`, { param: `${param}[price]` });
  return price;
}

type PriceData = NonNullable<z.output<typeof lineItem>["price_data"]>;

function makePrice(state: State, data: PriceData, param: string): Stripe.Price {
  if ((data.product === undefined) === (data.product_data === undefined)) {
    throw invalid("You must specify either `product` or `product_data` when creating a price.", { param: `${param}[price_data]` });
  }
  if (data.product !== undefined && !state.products.has(data.product))
    throw missing("product", data.product, `${param}[price_data][product]`);
  const product = data.product ?? addProduct(state, { ...data.product_data, name: data.product_data?.name ?? "", active: false }).id;
  return addPrice(state, { product, unitAmount: data.unit_amount, currency: data.currency, recurring: data.recurring, active: false });
}

interface NewProduct {
  readonly name: string;
  readonly description?: string | undefined;
  readonly images?: string[] | undefined;
  readonly metadata?: Stripe.Metadata | undefined;
  readonly active?: boolean;
}

export function addProduct(
  state: State,
  { name, description, images = [], metadata: values = {}, active = true }: NewProduct,
): Stripe.Product {
  const product: Stripe.Product = {
    id: newId("prod", 14),
    object: "product",
    active,
    created: state.now(),
    description: description ?? null,
    images,
    livemode: false,
    marketing_features: [],
    metadata: values,
    name,
    package_dimensions: null,
    shippable: null,
    tax_details: null,
    type: "service",
    updated: state.now(),
    url: null,
  };
  state.products.set(product.id, product);
  return product;
}

interface NewPrice {
  readonly product: string;
  readonly unitAmount: number;
  readonly currency: string;
  readonly recurring: { readonly interval: string; readonly interval_count?: number | undefined } | undefined;
  readonly active?: boolean;
}

export function addPrice(state: State, { product, unitAmount, currency, recurring: cycle, active = true }: NewPrice): Stripe.Price {
  const price: Stripe.Price = {
    id: newId("price"),
    object: "price",
    active,
    billing_scheme: "per_unit",
    created: state.now(),
    currency: currency.toLowerCase(),
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product,
    recurring: cycle
      ? {
          interval: cycle.interval,
          interval_count: cycle.interval_count ?? 1,
          meter: null,
          trial_period_days: null,
          usage_type: "licensed",
        }
      : null,
    tax_behavior: "unspecified",
    tiers_mode: null,
    transform_quantity: null,
    type: cycle ? "recurring" : "one_time",
    unit_amount: unitAmount,
    unit_amount_decimal: Stripe.Decimal.from(unitAmount),
  };
  state.prices.set(price.id, price);
  return price;
}
