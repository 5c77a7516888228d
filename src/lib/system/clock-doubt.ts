import { HOUR_MS, MINUTE_MS } from "../text/duration.ts";
import { toIso } from "../text/iso-time.ts";

/** Tolerated difference of two clocks (expiry, "When the clock is wrong"). */
export const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/** The reason why the clock is not trusted, and the milliseconds by which it is ahead; negative if it is behind. */
export interface ClockDoubt {
  /** `start`: at the start it was later than when a server last ran, as after any stop; `jump`: it was set while the server ran. */
  readonly kind: "start" | "jump" | "differs";
  readonly aheadMs: number;
  /** The other clock, for the kind `differs`. */
  readonly from?: string;
  /** Time at which the clock is trusted if no other clock can be asked, by the clock in doubt. */
  readonly untilMs?: number;
}

/** The state that is stored for the next start. */
export interface StoredClock {
  /** The trusted time of the last check. */
  readonly trustedMs: number;
  /** The latest time that the clock has shown since its times were corrected. */
  readonly latestMs: number;
  readonly doubt?: ClockDoubt;
}

/** Parses the clock's state that the last server stored; undefined if none did. */
export const parseStoredClock = (text: string | undefined): StoredClock | undefined => (text === undefined ? undefined : JSON.parse(text));

/** Describes the doubt and its consequences. */
export function describeDoubt({ kind, aheadMs, from, untilMs }: ClockDoubt): string {
  const by = describeSpan(Math.abs(aheadMs));
  const waits = "Expired files are not served, and are removed";
  const wait = untilMs === undefined ? "" : `${waits} at ${toIso(untilMs)} at the latest.`;
  if (kind === "start") return `The server was stopped. ${wait}`;
  if (kind === "jump") return `The clock was set ${aheadMs > 0 ? "forward" : "back"} by ${by}. ${wait}`;
  return `The clock is ${by} ${aheadMs > 0 ? "ahead of" : "behind"} that of the ${from}. ${waits} by the earlier one.`;
}

function describeSpan(ms: number): string {
  const [count, unit] =
    ms < 2 * HOUR_MS ? [ms / MINUTE_MS, "minutes"] : ms < 36 * HOUR_MS ? [ms / HOUR_MS, "hours"] : [ms / (24 * HOUR_MS), "days"];
  return `${Math.round(count)} ${unit}`;
}
