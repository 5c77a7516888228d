import type { Stripe } from "stripe";
import { PaymentError } from "./payments.ts";

/**
 * Codes of Stripe for unknown objects and accounts. A refusal with the status 403 does not always mean that: a key may lack the right to read
 * accounts.
 */
const UNKNOWN_CODES: readonly unknown[] = ["resource_missing", "account_invalid"];

/** Returns the retrieved object; undefined if Stripe does not know its ID. */
export const findKnown = <Found>(retrieved: Promise<Found>): Promise<Found | undefined> =>
  retrieved.catch((error: unknown) => {
    if (error instanceof Error && "code" in error && UNKNOWN_CODES.includes(error.code)) return undefined;
    throw error;
  });

/** Converts an error. Keeps the platform's message, which has no secrets, but not the request. */
export function toPaymentError(
  error: unknown,
  { StripeError, StripeConnectionError, StripeAPIError, StripeRateLimitError }: typeof Stripe.errors,
) {
  if (!(error instanceof StripeError)) return error;
  const isTemporary = error instanceof StripeConnectionError || error instanceof StripeAPIError || error instanceof StripeRateLimitError;
  return new PaymentError(isTemporary ? "unavailable" : "refused", error.message, { cause: error });
}
