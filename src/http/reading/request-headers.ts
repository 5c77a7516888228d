import { AppError } from "../../errors.ts";
import type { Preconditions } from "../../lib/http/preconditions.ts";
import { isBot, isCommandLine, isDownloader, isPreviewAgent } from "../../lib/text/user-agent.ts";
import type { Encoding } from "../responding/compress.ts";
import type { HttpContext } from "../routing/env.ts";

/** Whether the client accepts HTML by name, so prefers a page to JSON or plain text. */
export const wantsPage = (c: HttpContext): boolean => accepts(c, "text/html");

/** Whether the client wants a page and no stream of events, unlike a program that accepts anything. */
export const isBrowser = (c: HttpContext): boolean => wantsPage(c) && !accepts(c, "text/event-stream");

/** Whether the client accepts JSON explicitly. */
export const wantsJson = (c: HttpContext): boolean => accepts(c, "application/json");

/** Whether `Accept` names the media type (RFC 9110, 12.5.1), and not with the weight 0, which refuses it. */
function accepts(c: HttpContext, type: string): boolean {
  const ranges = (c.req.header("accept") ?? "").toLowerCase().split(",");
  return ranges.some((range) => {
    const [named = "", ...parameters] = range.split(";").map((part) => part.trim());
    return named === type && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });
}

/**
 * From the best; each with the pattern of an `Accept-Encoding` that permits it. `*` permits all that are not named, of which gzip is the one that
 * clients are most likely to read.
 */
const ENCODINGS = [
  { name: "br", permitted: permittedBy("\\bbr\\b") },
  { name: "gzip", permitted: permittedBy("(?:\\bgzip\\b|^(?!.*\\bgzip\\b).*\\*)") },
] as const;

function permittedBy(pattern: string): RegExp {
  return new RegExp(`${pattern}(?!\\s*;\\s*q=0(?:\\.0+)?\\s*(?:,|$))`, "i");
}

/** The best encoding that `Accept-Encoding` permits; undefined if it permits none. */
export function findEncoding(c: HttpContext): Encoding | undefined {
  const accepted = c.req.header("accept-encoding") ?? "";
  return ENCODINGS.find(({ permitted }) => permitted.test(accepted))?.name;
}

/** The API key of a request, from any of the documented headers; undefined if it has none, or is for the content host (accounts, "Authentication"). */
export function readApiKey(c: HttpContext): string | undefined {
  if (c.env.isContentHost) return undefined;
  const authorization = c.req.header("authorization")?.trim();
  if (authorization) return readBasicKey(c, authorization) ?? authorization.replace(/^bearer\s+/i, "");
  return c.req.header("x-service-api-key")?.trim() || undefined;
}

/** The password of Basic authentication, as `curl -u :KEY` sends it; undefined for another scheme. Throws CROSS_SITE_REQUEST for a browser. */
function readBasicKey(c: HttpContext, authorization: string): string | undefined {
  const [, encoded] = /^basic\s+(\S*)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  // Browsers keep the password for a site and send it by themselves, also for pages of other sites.
  if (c.req.header("origin") !== undefined || c.req.header("sec-fetch-site") !== undefined)
    throw new AppError("CROSS_SITE_REQUEST", "Browsers send a key as `Authorization: Bearer <key>`, or sign in.");
  const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  return password;
}

/** The value of a cookie; undefined if the request has none of that name, or is for the content host. */
export function readCookie(c: HttpContext, name: string): string | undefined {
  const cookie = listCookies(c).find((cookie) => cookie.startsWith(`${name}=`));
  return cookie?.slice(name.length + 1) || undefined;
}

/** The values of all cookies whose names begin with a prefix; none for the content host. */
export const readCookies = (c: HttpContext, prefix: string): string[] =>
  listCookies(c)
    .filter((cookie) => cookie.startsWith(prefix))
    .map((cookie) => cookie.slice(cookie.indexOf("=") + 1));

const listCookies = (c: HttpContext): string[] => (c.env.isContentHost ? [] : (c.req.header("cookie") ?? "").split(/;\s*/));

/** Reads the conditional headers of a request. */
export const readConditions = (c: HttpContext): Preconditions => ({
  ifMatch: c.req.header("if-match") ?? null,
  ifUnmodifiedSince: c.req.header("if-unmodified-since") ?? null,
  ifNoneMatch: c.req.header("if-none-match") ?? null,
  ifModifiedSince: c.req.header("if-modified-since") ?? null,
});

/** Whether a browser loads the URL before its user opens it. */
export function isPrefetch(c: HttpContext): boolean {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => c.req.header(name));
  return /prefetch|prerender|preview/i.test(purposes.join());
}

/**
 * Whether a person opens the URL: a browser navigates its window, or a known command-line client sends the request. False for link previews,
 * unknown programs and browsers that do not send `Sec-Fetch-Mode` (direct shares, "Requests that get the page").
 */
export function isOpenedByPerson(c: HttpContext): boolean {
  if (c.req.header("sec-fetch-mode") === undefined) return isOpenedInTerminal(c);
  return mayOpen(c) && c.req.header("sec-fetch-mode") === "navigate" && c.req.header("sec-fetch-dest") === "document";
}

/** Who asks for the bytes of a share at its link (curl, "Who gets the bytes"). */
export type DownloadAsker =
  /** A browser, which gets the page. */
  | "person"
  /** A link preview or a prefetch, whose user has not asked for the file. */
  | "preview"
  /** A program that fetches files for people, or has a key or a code. */
  | "known"
  /** Any other program. */
  | "unknown";

/** Decides who asks. The method does not matter, so that `HEAD` is answered as `GET` is. */
export function readDownloadAsker(c: HttpContext): DownloadAsker {
  const agent = c.req.header("user-agent") ?? "";
  const isScripted = ["sec-fetch-mode", "sec-fetch-site", "origin"].some((name) => c.req.header(name) !== undefined);
  const isKnown = !isScripted && (isDownloader(agent) || readApiKey(c) !== undefined || c.req.header("x-unlock-code") !== undefined);
  if (isPreviewAgent(agent) || isPrefetch(c)) return wantsPage(c) ? "person" : "preview";
  if (isKnown) return "known";
  return wantsPage(c) ? "person" : "unknown";
}

const isOpenedInTerminal = (c: HttpContext): boolean => mayOpen(c) && isCommandLine(c.req.header("user-agent") ?? "");

const mayOpen = (c: HttpContext): boolean => c.req.method === "GET" && !isPrefetch(c) && !isBot(c.req.header("user-agent") ?? "");
