import { HOUR_MS, MINUTE_MS } from "../../lib/text/duration.ts";

const SECOND_MS = 1_000;

/** The limits of webhook endpoints (webhooks, "Endpoints" and "Delivery"). */
export const WEBHOOKS = {
  perAccount: 10,
  /** Number of concurrent attempts per endpoint. */
  concurrency: 10,
  /** Number of consecutive failed attempts after which attempts are made one at a time. */
  failuresToSlow: 20,
  /** Number of consecutive events whose last attempt failed, after which the endpoint is paused. */
  failedEventsToPause: 5,
  /** Maximum number of deliveries that wait for a paused endpoint. Older ones are deleted. */
  maxWaiting: 10_000,
  /** Timeout of one attempt. */
  timeoutMs: 10 * SECOND_MS,
  /** Retention of deliveries in days. */
  logDays: 30,
} as const;

/** The pauses before the attempts. */
const PAUSES_MS = [0, 10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] as const;

/** Number of attempts per delivery. */
export const MAX_ATTEMPTS = PAUSES_MS.length;

/** Returns the pause after the n-th failed attempt (1, 2, …), with ±20 % jitter by `chance` (0 to 1); undefined after the last attempt. */
export function webhookPauseMs(failures: number, chance: number): number | undefined {
  const pauseMs = PAUSES_MS[failures];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (0.8 + 0.4 * chance));
}
