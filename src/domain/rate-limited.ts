import type { ErrorFields } from "../contract/error-fields.ts";
import { AppError } from "../errors.ts";

/** When a limit is open again, as its refusal tells it. */
export interface Wait {
  readonly retryAfterSeconds: number;
  /** ISO 8601. */
  readonly resetAt: string;
}

export interface RateLimited {
  readonly nowMs: number;
  readonly resetsAtMs: number;
  message(wait: Wait): string;
  /** Which of them the answer has, and what else. */
  fields(wait: Wait): ErrorFields;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The refusal of what comes too often: RATE_LIMITED, with `Retry-After` (interface, "Errors"; decisions, "Accounts, keys, tiers"). */
export function rateLimited({ nowMs, resetsAtMs, message, fields, headers }: RateLimited): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAtMs - nowMs) / 1000));
  const wait = { retryAfterSeconds, resetAt: new Date(resetsAtMs).toISOString() };
  return new AppError("RATE_LIMITED", message(wait), {
    fields: fields(wait),
    headers: { "Retry-After": String(retryAfterSeconds), ...headers },
  });
}
