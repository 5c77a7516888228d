import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { parseIsoTime, toIso } from "../../../src/lib/text/iso-time.ts";
import { AUDIT_LOG_PATH } from "../paths.ts";

/** The lengths of time that can be chosen, in days; the names are the values of the field. */
export const TIMES = { "1d": 1, "7d": 7, "30d": 30, "90d": 90 } as const;

export type TimeName = keyof typeof TIMES;

/** The reader's search. */
export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly time?: TimeName | undefined;
  /** The first and the last day (UTC), such as 2030-01-31. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly subject?: string | undefined;
}

const TEXTS = { actor: 254, action: 64, subject: 254 } as const;

/** Reads the search of a URL. Fields that are not valid are left out. */
export function readAuditSearch(find: (name: string) => string | undefined): AuditSearch {
  const text = (name: keyof typeof TEXTS) => find(name)?.trim().slice(0, TEXTS[name]) || undefined;
  const time = find("time") ?? "";
  return {
    actor: text("actor"),
    action: text("action"),
    time: isTime(time) ? time : undefined,
    since: dayStart(find("since")) === undefined ? undefined : find("since"),
    until: dayStart(find("until")) === undefined ? undefined : find("until"),
    subject: text("subject"),
  };
}

/** Returns the times that the search means. If it has days and a length of time, both apply. */
export function toTimes({ time, since, until }: AuditSearch, nowMs: number): { readonly since?: string; readonly until?: string } {
  const starts = [dayStart(since), time && nowMs - TIMES[time] * DAY_MS].filter((start) => start !== undefined);
  const last = dayStart(until);
  return {
    ...(starts.length > 0 && { since: toIso(Math.max(...starts)) }),
    ...(last !== undefined && { until: toIso(last + DAY_MS) }),
  };
}

/** Returns the path of the page with a search. */
export function auditLogPath(search: AuditSearch): string {
  const query = new URLSearchParams(Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return query.size === 0 ? AUDIT_LOG_PATH : `${AUDIT_LOG_PATH}?${query}`;
}

const isTime = (text: string): text is TimeName => Object.hasOwn(TIMES, text);

/** Returns the start of a day of UTC, in the form of a date field. */
const dayStart = (text = ""): number | undefined => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? parseIsoTime(text) : undefined);
