import type { Stripe } from "stripe";
import { PaymentError } from "./payments.ts";

/** The object that is retrieved, or undefined if Stripe has none with that ID. */
export const findKnown = <Found>(retrieved: Promise<Found>): Promise<Found | undefined> =>
  retrieved.catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "resource_missing") return undefined;
    throw error;
  });

/** Keeps what the platform says, which has no secrets; not the request. */
export function toPaymentError(
  error: unknown,
  { StripeError, StripeConnectionError, StripeAPIError, StripeRateLimitError }: typeof Stripe.errors,
) {
  if (!(error instanceof StripeError)) return error;
  const isTemporary = error instanceof StripeConnectionError || error instanceof StripeAPIError || error instanceof StripeRateLimitError;
  return new PaymentError(isTemporary ? "unavailable" : "refused", error.message, { cause: error });
}
