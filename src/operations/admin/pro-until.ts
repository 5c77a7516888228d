import { parseTtl } from "../../domain/ttl.ts";
import { AppError } from "../../errors.ts";

const DATE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * When Pro ends: an ISO date (its first moment, in UTC), an ISO time (in UTC unless it says otherwise) or a duration from now such as `30d`;
 * null for never. It may be over: Pro ended then, and its grace counts from there. Throws VALIDATION_FAILED for anything else, and for a
 * tier that does not end.
 */
export function resolveProUntil(until: string | undefined, { tier, nowMs }: { tier: "free" | "pro"; nowMs: number }): number | null {
  if (until === undefined) return null;
  if (tier === "free") throw new AppError("VALIDATION_FAILED", "Only Pro ends at a time. Leave the time out, or choose the tier pro.");
  const durationMs = parseTtl(until);
  const untilMs = durationMs === undefined ? parseDate(until) : nowMs + durationMs;
  if (untilMs === undefined)
    throw new AppError("VALIDATION_FAILED", `"${until}" is not a time. Write a date such as 2030-01-31, or a duration such as 30d or 52w.`);
  return untilMs;
}

function parseDate(text: string): number | undefined {
  const match = DATE.exec(text);
  if (!match?.[1]) return undefined;
  const [, day, time = "T00:00", , , zone = "Z"] = match;
  const ms = Date.parse(`${day}${time}${zone}`);
  const dayExists = new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.startsWith(day) === true;
  return Number.isNaN(ms) || !dayExists ? undefined : ms;
}
