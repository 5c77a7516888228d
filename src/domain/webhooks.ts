const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** What an endpoint may cost and be trusted with (decisions, "Webhooks"). */
export const WEBHOOKS = {
  perAccount: 10,
  /** Attempts at one endpoint under way at once. */
  parallel: 10,
  /** Failed attempts in a row from which on there is one at a time. */
  failuresToSlow: 20,
  /** Events in a row that failed for good, which pause it. */
  failedEventsToPause: 5,
  /** So many of the newest events wait for a paused endpoint; older ones are forgotten. */
  waitingWhilePaused: 10_000,
  timeoutMs: 10 * SECOND_MS,
  logDays: 30,
} as const;

/** The pause before each attempt: the first is at once, and after the last there is none. */
const PAUSES_MS = [0, 10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] as const;

/** The pause after the n-th failed attempt (1, 2, …), a fifth more or less by `chance` (0 to 1); undefined after the last. */
export function webhookPauseMs(failures: number, chance: number): number | undefined {
  const pauseMs = PAUSES_MS[failures];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (0.8 + 0.4 * chance));
}
