import { Stripe } from "stripe";
import type { TestStripe } from "../stripe.ts";

/** Creates the official client, as the server does. */
export function connectTo({ url, secretKey }: Pick<TestStripe, "secretKey" | "url">, options: Partial<Stripe.StripeConfig> = {}): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(secretKey, { host: hostname, port, protocol: "http", maxNetworkRetries: 0, telemetry: false, ...options });
}

/** Creates a seller's account, which is ready to sell unless `isReady` is false. Resolves to its ID. */
export async function createSeller(server: TestStripe, { isReady = true } = {}): Promise<string> {
  const { id } = await connectTo(server).accounts.create({
    controller: { fees: { payer: "application" }, losses: { payments: "application" }, stripe_dashboard: { type: "express" } },
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
  });
  if (isReady) server.sellers.finishOnboarding(id);
  return id;
}

/** Returns the parameters of a sale's checkout. */
export function toSale(seller: string, { amount = 1000, fee = 80 }: { amount?: number; fee?: number } = {}) {
  return {
    mode: "payment",
    line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: amount, product_data: { name: "report.pdf" } } }],
    payment_intent_data: {
      on_behalf_of: seller,
      transfer_data: { destination: seller },
      metadata: { share: "abc" },
      ...(fee > 0 && { application_fee_amount: fee }),
    },
    metadata: { share: "abc" },
    success_url: "https://files.example.org/d/abc?session={CHECKOUT_SESSION_ID}",
    cancel_url: "https://files.example.org/d/abc",
  } satisfies Stripe.Checkout.SessionCreateParams;
}

/** Opens a checkout and pays for it by card. */
export async function sell(server: TestStripe, options: { amount?: number; fee?: number } = {}) {
  const client = connectTo(server);
  const seller = await createSeller(server);
  const { id } = await client.checkout.sessions.create(toSale(seller, options));
  server.checkouts.pay(id);
  const session = await client.checkout.sessions.retrieve(id);
  return { client, seller, session, intent: String(session.payment_intent) };
}

/** Resolves to the error with which a refused call rejects. */
export async function refusalOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error("The call was not refused.");
}
