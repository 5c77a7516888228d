import { isBot, isCommandLine } from "../operations/downloads/client-class.ts";
import type { HttpContext } from "./env.ts";

/** Whether a browser fetches ahead what nobody has asked for yet. */
export function isPrefetch(c: HttpContext): boolean {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => c.req.header(name));
  return /prefetch|prerender|preview/i.test(purposes.join());
}

/**
 * Whether somebody opens this address: a browser navigates its window there, or a known command-line client asks. Previews of messengers and
 * office programs, unknown programs and browsers that do not send `Sec-Fetch-Mode` are not taken for it (docs/interface/direct-shares.md).
 */
export function isOpened(c: HttpContext): boolean {
  const userAgent = c.req.header("user-agent") ?? "";
  if (c.req.method !== "GET" || isPrefetch(c) || isBot(userAgent)) return false;
  const mode = c.req.header("sec-fetch-mode");
  if (mode === undefined) return isCommandLine(userAgent);
  return mode === "navigate" && c.req.header("sec-fetch-dest") === "document";
}
