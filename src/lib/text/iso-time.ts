/** Formats milliseconds since 1970 as ISO 8601, in UTC; null for null. */
export function toIso(ms: number): string;
export function toIso(ms: number | null): string | null;
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

const DATE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?)?(Z|[+-]\d{2}:\d{2})?$/;

/** Parses an ISO date (its start, in UTC) or time (in UTC without an offset) to milliseconds since 1970; undefined for other text. */
export function parseIsoTime(text: string): number | undefined {
  const match = DATE.exec(text);
  if (!match?.[1]) return undefined;
  const [, day, time = "T00:00", , , zone = "Z"] = match;
  const ms = Date.parse(`${day}${time}${zone}`);
  const dayExists = new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.startsWith(day) === true;
  return Number.isNaN(ms) || !dayExists ? undefined : ms;
}
