import { DURATION_SYNTAX, parseDuration } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { UsageError } from "../failure.ts";

/** The syntax of times in options (command line, "Times and sizes"). */
export const TIME_SYNTAX = "7d, 2030-01-31 or 2030-01-31T12:00";

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?$/i;
/** The end of the years that ISO times write with four digits. */
const MAX_MS = Date.UTC(10_000, 0, 1);

interface Reference {
  readonly nowMs: number;
  readonly isAgo?: boolean;
}

/**
 * Converts a duration from `nowMs` (before it, if `isAgo`), a date (its start) or a date and time to milliseconds since 1970. Times are in the time
 * zone of this machine unless they name another. Undefined for other text.
 */
function parseTime(text: string, { nowMs, isAgo = false }: Reference): number | undefined {
  const durationMs = parseDuration(text.trim());
  if (durationMs !== undefined) return inFourDigits(isAgo ? nowMs - durationMs : nowMs + durationMs);
  const [, day, time = "00:00", zone = ""] = TIME.exec(text.trim()) ?? [];
  if (day === undefined || new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.startsWith(day) !== true) return undefined;
  const offset = /^(z|utc)$/i.test(zone) ? "Z" : zone.replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  const ms = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const inFourDigits = (ms: number): number | undefined => (ms > 0 && ms < MAX_MS ? ms : undefined);

/** Converts the text to an ISO time, like `parseTime`; undefined for other text. */
export function toIsoTime(text: string, reference: Reference): string | undefined {
  const ms = parseTime(text, reference);
  return ms === undefined ? undefined : toIso(ms);
}

/** The advice for an invalid time. `more` are further values of the option, such as `, or never`. */
export const timeAdvice = (more = ""): string => `write a time such as ${TIME_SYNTAX}${more}`;

/** The advice for an invalid duration. */
export const durationAdvice = `write a duration such as ${DURATION_SYNTAX}`;

/** An option that is a time, with its text. */
export interface GivenTime {
  readonly command: string;
  /** The name of the option, without its dashes. */
  readonly option: string;
  readonly text: string;
}

/** The error of an option with an invalid time. */
export const invalidTime = ({ command, option }: GivenTime, advice: string): UsageError =>
  new UsageError(`--${option}: ${advice}.`, `filehost ${command} --help`);

/** Converts the time of an option to an ISO time, like `parseTime`. Throws UsageError. */
export function readTimeOption(given: GivenTime, reference: Reference): string {
  const time = toIsoTime(given.text, reference);
  if (time === undefined) throw invalidTime(given, timeAdvice());
  return time;
}
