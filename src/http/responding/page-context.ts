import type { PageContext } from "../../../web/site/page-context.ts";
import { isTimeZone, TIME_ZONE_COOKIE } from "../../../web/site/time-zone.ts";
import { catalogue } from "../../../web/texts/catalogue.ts";
import { LANGUAGE_PARAMETER, LANGUAGES, type Language } from "../../../web/texts/languages.ts";
import { hasPassword } from "../reading/read-input.ts";
import { readCookie } from "../reading/request-headers.ts";
import type { HttpContext } from "../routing/env.ts";

const COOKIE = "lang";
/** The name of a time zone, without offsets such as `+01:00`, of which there are too many. */
const TIME_ZONE = /^[A-Za-z_]{1,30}(?:\/[\w+-]{1,30}){0,2}$/;
const COOKIE_SECONDS = 365 * 24 * 60 * 60;

/** Returns the context with which the pages of a request are rendered. */
export function pageContext(c: HttpContext): PageContext {
  const language = requestLanguage(c);
  const { site, person, adminCounts } = c.env;
  return {
    language,
    timeZone: person === undefined ? "UTC" : readTimeZone(c),
    texts: catalogue[language],
    // The links of the page that refuses the password would repeat it.
    query: hasPassword(c.env.url) ? "" : c.env.url.search,
    path: c.req.path,
    formKey: c.env.requestId,
    site,
    person: person && { ...person, accountId: person.actor.userId, isAdministrator: person.actor.isAdministrator },
    adminCounts,
  };
}

/** Returns the time zone that a script has stored for the pages of people who are signed in (pages, "Languages"); UTC for an unknown one. */
function readTimeZone(c: HttpContext): string {
  const name = readCookie(c, TIME_ZONE_COOKIE) ?? "";
  return TIME_ZONE.test(name) && isTimeZone(name) ? name : "UTC";
}

/** Returns the language of the request, from the URL, the cookie or the browser. */
export const requestLanguage = (c: HttpContext): Language =>
  chosenLanguage(c) ?? cookieLanguage(c) ?? acceptedLanguage(c.req.header("accept-language") ?? "");

/** Returns the `Set-Cookie` header of a page whose URL selects a language, for later pages (pages, "Languages"). */
export function languageCookie(c: HttpContext): Readonly<Record<string, string>> {
  const language = chosenLanguage(c);
  if (language === undefined || c.env.isContentHost) return {};
  const secure = c.env.site.url.startsWith("https:") ? "; Secure" : "";
  return { "Set-Cookie": `${COOKIE}=${language}; Path=/; Max-Age=${COOKIE_SECONDS}; SameSite=Lax; HttpOnly${secure}` };
}

const chosenLanguage = (c: HttpContext): Language | undefined => toLanguage(c.req.query(LANGUAGE_PARAMETER));

const cookieLanguage = (c: HttpContext): Language | undefined => toLanguage(readCookie(c, COOKIE));

const toLanguage = (text: string | undefined): Language | undefined => LANGUAGES.find((language) => language === text);

/** Returns the site's language with the highest quality in an `Accept-Language` header; the first of LANGUAGES if there is none. */
export function acceptedLanguage(accepted: string): Language {
  const wanted = accepted
    .split(",")
    .map((item) => item.trim().split(/\s*;\s*q\s*=\s*/i))
    .map(([tag = "", quality = "1"]) => ({ tag: tag.toLowerCase().split("-")[0], quality: Number(quality) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  const known = wanted.map(({ tag }) => toLanguage(tag));
  return known.find((language) => language !== undefined) ?? LANGUAGES[0];
}
