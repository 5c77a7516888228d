/** Times in the page's language. */
import { language } from "../send/format.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `in 3 days`. */
export function relative(durationMs: number): string {
  const format = new Intl.RelativeTimeFormat(language);
  if (durationMs >= 2 * DAY_MS) return format.format(Math.round(durationMs / DAY_MS), "day");
  if (durationMs >= 2 * HOUR_MS || durationMs === HOUR_MS) return format.format(Math.round(durationMs / HOUR_MS), "hour");
  return format.format(Math.max(1, Math.round(durationMs / MINUTE_MS)), "minute");
}

/** `26 November at 14:00`. */
export const date = (time: string): string =>
  new Date(time).toLocaleString(language === "en" ? "en-GB" : language, {
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
  });
