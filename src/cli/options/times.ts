import { parseTtl } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";

/** The syntax of times in options (command line, "Times and sizes"). */
export const TIME_SYNTAX = "7d, 2030-01-31 or 2030-01-31T12:00";

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?$/i;

/**
 * Converts a duration from `nowMs` (before it, if `isAgo`), a date (its start) or a date and time to milliseconds since 1970. Times are in the time
 * zone of this machine unless they name another. Undefined for other text.
 */
export function parseTime(
  text: string,
  { nowMs, isAgo = false }: { readonly nowMs: number; readonly isAgo?: boolean },
): number | undefined {
  const durationMs = parseTtl(text.trim());
  if (durationMs !== undefined) return isAgo ? nowMs - durationMs : nowMs + durationMs;
  const [, day, time = "00:00", zone = ""] = TIME.exec(text.trim()) ?? [];
  if (day === undefined || new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.startsWith(day) !== true) return undefined;
  const offset = /^(z|utc)$/i.test(zone) ? "Z" : zone.replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  const ms = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Converts the text to an ISO time, like `parseTime`; undefined for other text. */
export function toIsoTime(text: string, reference: Parameters<typeof parseTime>[1]): string | undefined {
  const ms = parseTime(text, reference);
  return ms === undefined ? undefined : toIso(ms);
}
