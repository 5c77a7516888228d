import { AppError } from "../../errors.ts";
import type { Preconditions } from "../../lib/http/preconditions.ts";
import { isBot, isCommandLine, isDownloader, isPreviewAgent } from "../../lib/text/user-agent.ts";
import type { Encoding } from "../responding/compress.ts";
import type { HttpContext } from "../routing/env.ts";

/** Returns whether the client accepts HTML by name, and so prefers a page to JSON or plain text. */
export const wantsPage = (c: HttpContext): boolean => accepts(c, "text/html");

/** Returns whether the client wants a page and not a stream of events, unlike a program that accepts anything. */
export const isBrowser = (c: HttpContext): boolean => wantsPage(c) && !accepts(c, "text/event-stream");

/** Returns whether the client accepts JSON explicitly. */
export const wantsJson = (c: HttpContext): boolean => accepts(c, "application/json");

/** Returns whether `Accept` names the media type (RFC 9110, 12.5.1) with a weight other than 0. */
function accepts(c: HttpContext, type: string): boolean {
  const ranges = (c.req.header("accept") ?? "").toLowerCase().split(",");
  return ranges.some((range) => {
    const [named = "", ...parameters] = range.split(";").map((part) => part.trim());
    return named === type && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });
}

/**
 * The encodings from the best to the worst, each with the pattern of an `Accept-Encoding` that permits it. `*` selects gzip, which most clients can
 * read.
 */
const ENCODINGS = [
  { name: "br", permitted: permittedBy("\\bbr\\b") },
  { name: "gzip", permitted: permittedBy("(?:\\bgzip\\b|^(?!.*\\bgzip\\b).*\\*)") },
] as const;

function permittedBy(pattern: string): RegExp {
  return new RegExp(`${pattern}(?!\\s*;\\s*q=0(?:\\.0+)?\\s*(?:,|$))`, "i");
}

/** Returns the best encoding that `Accept-Encoding` permits; undefined if it permits none. */
export function findEncoding(c: HttpContext): Encoding | undefined {
  const accepted = c.req.header("accept-encoding") ?? "";
  return ENCODINGS.find(({ permitted }) => permitted.test(accepted))?.name;
}

/** The header for the password of a share, which does not belong in a URL (curl, "A password"). */
export const PASSWORD_HEADER = "X-Password";

/** Returns a header that a client sent in UTF-8, whose bytes the runtime reads as Latin-1; undefined if it is missing. Latin-1 stays as it is. */
export function readTextHeader(c: HttpContext, name: string): string | undefined {
  const value = c.req.header(name);
  if (value === undefined || [...value].some((character) => character > "\u00ff")) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(value, (character) => character.charCodeAt(0)));
  } catch {
    return value;
  }
}

/**
 * Returns the API key of a request from one of the documented headers; undefined without one, and for the content host (accounts, "Authentication").
 */
export function readApiKey(c: HttpContext): string | undefined {
  if (c.env.isContentHost) return undefined;
  const authorization = c.req.header("authorization")?.trim();
  if (authorization) return readBasicKey(c, authorization) ?? authorization.replace(/^bearer\s+/i, "");
  return c.req.header("x-service-api-key")?.trim() || undefined;
}

/**
 * Returns the password of Basic authentication, as `curl -u :KEY` sends it; undefined for another scheme. Throws CROSS_SITE_REQUEST for a browser.
 */
function readBasicKey(c: HttpContext, authorization: string): string | undefined {
  const [, encoded] = /^basic\s+(\S*)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  // Browsers store the password for a site and send it automatically, even for pages of other sites.
  if (c.req.header("origin") !== undefined || c.req.header("sec-fetch-site") !== undefined)
    throw new AppError("CROSS_SITE_REQUEST", "Browsers send a key as `Authorization: Bearer <key>`, or sign in.");
  const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  return password;
}

/** Returns the value of a cookie; undefined if the request has none of that name, or is for the content host. */
export function readCookie(c: HttpContext, name: string): string | undefined {
  const cookie = listCookies(c).find((cookie) => cookie.startsWith(`${name}=`));
  return cookie?.slice(name.length + 1) || undefined;
}

/** Returns the values of all cookies whose names begin with a prefix; empty for the content host. */
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

/** Returns whether a browser prefetches the URL. */
export function isPrefetch(c: HttpContext): boolean {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => c.req.header(name));
  return /prefetch|prerender|preview/i.test(purposes.join());
}

/**
 * Returns whether a person opens the URL: a browser navigates its window, or a known command-line client sends the request. False for link previews,
 * unknown programs and browsers that do not send `Sec-Fetch-Mode` (direct shares, "Requests that get the page").
 */
export function isOpenedByPerson(c: HttpContext): boolean {
  if (c.req.header("sec-fetch-mode") === undefined) return isOpenedInTerminal(c);
  return mayOpen(c) && c.req.header("sec-fetch-mode") === "navigate" && c.req.header("sec-fetch-dest") === "document";
}

/** The client that asks for the bytes of a share at its link (curl, "Who gets the bytes"). */
export type DownloadAsker =
  /** A browser of a person, which gets the page. */
  | "person"
  /** A link preview or a prefetch, for a person who has not asked for the file. */
  | "preview"
  /** A program that fetches files for people, or has a key or a code. */
  | "known"
  /** Any other program. */
  | "unknown";

/** Classifies the client. The method does not matter, so that `HEAD` and `GET` have the same result. */
export function readDownloadAsker(c: HttpContext): DownloadAsker {
  const agent = c.req.header("user-agent") ?? "";
  const isScripted = ["sec-fetch-mode", "sec-fetch-site", "origin"].some((name) => c.req.header(name) !== undefined);
  const hasCode = ["x-unlock-code", PASSWORD_HEADER].some((name) => c.req.header(name) !== undefined);
  const isKnown = !isScripted && (isDownloader(agent) || readApiKey(c) !== undefined || hasCode);
  if (isPreviewAgent(agent) || isPrefetch(c)) return wantsPage(c) ? "person" : "preview";
  if (isKnown) return "known";
  return wantsPage(c) ? "person" : "unknown";
}

const isOpenedInTerminal = (c: HttpContext): boolean => mayOpen(c) && isCommandLine(c.req.header("user-agent") ?? "");

const mayOpen = (c: HttpContext): boolean => c.req.method === "GET" && !isPrefetch(c) && !isBot(c.req.header("user-agent") ?? "");
