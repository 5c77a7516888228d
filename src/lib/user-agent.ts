/** The kind of program that a `User-Agent` names. */
export type ClientClass = "browser" | "cli" | "bot" | "other";

const BOT = /bot|crawl|spider|slurp|preview|externalhit|pagerenderer|embedly|iframely|vkshare/i;
/** Programs that people run in a terminal. PowerShell puts its name after a browser's. */
const COMMAND_LINE = /^(?:curl|wget2?|aria2|httpie|xh|lftp|axel|fetch libfetch|filehost)\/|PowerShell\//i;
/** HTTP libraries: used by people's scripts, and also by the link previews of messengers. */
const LIBRARY = /^(?:python-requests|go-http-client|node|bun|deno)/i;

/** Classifies a `User-Agent`. The class is all of it that is stored. */
export function classifyClient(userAgent: string): ClientClass {
  if (isBot(userAgent)) return "bot";
  if (isCommandLine(userAgent) || LIBRARY.test(userAgent)) return "cli";
  return /^mozilla\//i.test(userAgent) ? "browser" : "other";
}

/** Whether a `User-Agent` names a crawler or a link preview. */
export const isBot = (userAgent: string): boolean => BOT.test(userAgent);

/** Whether a `User-Agent` names a known command-line client; false for HTTP libraries. */
export const isCommandLine = (userAgent: string): boolean => COMMAND_LINE.test(userAgent);
