/** The time zone of this device. */
import { isTimeZone, TIME_ZONE_COOKIE } from "../../time-zone.ts";

const COOKIE_SECONDS = 365 * 24 * 60 * 60;

/** Returns the name of the time zone; UTC if the browser does not know it, and says so by a name that it refuses, such as `Etc/Unknown`. */
export function getTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? timeZone : "UTC";
}

/**
 * Stores the time zone for the pages of a person who is signed in or is about to sign in. Pages of recipients need no cookie, because the script shows
 * their times.
 */
export function rememberTimeZone(): void {
  const isPersons =
    document.body.classList.contains("signed-in") || document.querySelector("input[type=password], form[data-passkey]") !== null;
  const cookie = `${TIME_ZONE_COOKIE}=${getTimeZone()}`;
  if (!isPersons || document.cookie.split("; ").includes(cookie)) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store needs HTTPS.
  document.cookie = `${cookie}; Path=/; Max-Age=${COOKIE_SECONDS}; SameSite=Lax`;
}
