/** The cookie in which a script stores the time zone of the device, for the pages of people who are signed in. */
export const TIME_ZONE_COOKIE = "timezone";

const known = new Set(["UTC"]);
const MAX_KNOWN = 1000;

/** Returns whether the runtime knows a time zone. Known names are kept, because trying a name takes longer than rendering a date. */
export function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
  } catch {
    return false;
  }
  if (known.size < MAX_KNOWN) known.add(name);
  return true;
}
