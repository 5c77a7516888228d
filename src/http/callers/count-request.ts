import { AppError } from "../../errors.ts";
import type { HttpContext } from "../routing/env.ts";

/** Counts a request by its address (request limits, "Who counts as one caller"). Throws RATE_LIMITED. */
export function countRequest(c: HttpContext): void {
  c.env.rate ??= c.env.rates.consume({ actor: undefined, address: c.env.address }, 1);
}

/** Counts a request of an OAuth client by its address (oauth, "Limits"). Throws RATE_LIMITED. */
export function countOAuthRequest(c: HttpContext): void {
  c.env.rate = c.env.oauthRates.consume({ actor: undefined, address: c.env.address }, 1);
}

/**
 * Counts a failed request that was not counted yet, such as a request for an unknown URL. Returns the error for the response: RATE_LIMITED if the
 * request exceeds the rate, in which case it is not counted.
 */
export function countRefusal(c: HttpContext, error: Error): Error {
  if (c.env.rate !== undefined || c.env.route?.rate === "uncounted") return error;
  if (error instanceof AppError && error.code === "RATE_LIMITED") return error;
  try {
    countRequest(c);
    return error;
  } catch (limited) {
    return limited instanceof Error ? limited : error;
  }
}
