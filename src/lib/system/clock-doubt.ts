import { HOUR_MS, MINUTE_MS } from "../text/duration.ts";
import { toIso } from "../text/iso-time.ts";

/** How far two clocks may differ (expiry, "When the clock is wrong"). */
export const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/** Why the clock is not trusted, and by how much it is ahead; negative: behind. */
export interface ClockDoubt {
  /** `start`: at the start it is later than when the server last ran, which is also so after a long stop. `jump`: it changed while the server ran. */
  readonly kind: "start" | "jump" | "differs";
  readonly aheadMs: number;
  /** The clock from which a clock that `differs` differs. */
  readonly from?: string;
  /** When it is trusted, if no other clock can be asked; by the clock in doubt. */
  readonly untilMs?: number;
}

/** What is stored for the next start. */
export interface StoredClock {
  /** The trusted time of the last check. */
  readonly trustedMs: number;
  /** The latest time that the clock has shown since its times were corrected. */
  readonly latestMs: number;
  readonly doubt?: ClockDoubt;
}

/** What the last running server stored about its clock; undefined if none did. */
export const parseStoredClock = (text: string | undefined): StoredClock | undefined => (text === undefined ? undefined : JSON.parse(text));

/** Says what is in doubt and what follows. */
export function describeDoubt({ kind, aheadMs, from, untilMs }: ClockDoubt): string {
  const by = describeSpan(Math.abs(aheadMs));
  const waits = "Expired files are not served, and are removed";
  const wait = untilMs === undefined ? "" : `${waits} at ${toIso(untilMs)} at the latest.`;
  if (kind === "start") return `The server last ran ${by} ago by this clock. ${wait}`;
  if (kind === "jump") return `The clock was set ${aheadMs > 0 ? "forward" : "back"} by ${by}. ${wait}`;
  return `The clock is ${by} ${aheadMs > 0 ? "ahead of" : "behind"} that of the ${from}. ${waits} by the earlier one.`;
}

function describeSpan(ms: number): string {
  const [count, unit] =
    ms < 2 * HOUR_MS ? [ms / MINUTE_MS, "minutes"] : ms < 36 * HOUR_MS ? [ms / HOUR_MS, "hours"] : [ms / (24 * HOUR_MS), "days"];
  return `${Math.round(count)} ${unit}`;
}
