import type { Stripe } from "stripe";
import { PaymentError } from "./payments.ts";

/**
 * Codes of Stripe for objects and accounts that it does not know. Not each refusal with the status 403: a key that may not read accounts says
 * nothing of them.
 */
const UNKNOWN_CODES: readonly unknown[] = ["resource_missing", "account_invalid"];

/** What is asked for, or undefined if Stripe has nothing with the ID in question. */
export const findKnown = <Found>(retrieved: Promise<Found>): Promise<Found | undefined> =>
  retrieved.catch((error: unknown) => {
    if (error instanceof Error && "code" in error && UNKNOWN_CODES.includes(error.code)) return undefined;
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
