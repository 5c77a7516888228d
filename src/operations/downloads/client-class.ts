export type ClientClass = "browser" | "cli" | "bot" | "other";

const BOT = /bot|crawl|spider|slurp|preview|externalhit|pagerenderer|embedly|iframely|vkshare/i;
/** Programs that people type in a terminal. PowerShell's name comes after what browsers call themselves. */
const COMMAND_LINE = /^(?:curl|wget2?|aria2|httpie|xh|lftp|axel|fetch libfetch|filehost)\/|PowerShell\//i;
/** What programs are written with: people's scripts, and the previews of messengers too. */
const LIBRARY = /^(?:python-requests|go-http-client|node|bun|deno)/i;

/** What kind of program a `User-Agent` names; all that is kept of it. */
export function classifyClient(userAgent: string): ClientClass {
  if (isBot(userAgent)) return "bot";
  if (isCommandLine(userAgent) || LIBRARY.test(userAgent)) return "cli";
  return /^mozilla\//i.test(userAgent) ? "browser" : "other";
}

/** Whether a `User-Agent` says that nobody is looking. */
export const isBot = (userAgent: string): boolean => BOT.test(userAgent);

/** Whether a `User-Agent` names a known command-line client; a library is none. */
export const isCommandLine = (userAgent: string): boolean => COMMAND_LINE.test(userAgent);
