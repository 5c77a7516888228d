/** The kind of program that a `User-Agent` names. */
export type ClientClass = "browser" | "cli" | "bot" | "other";

const BOT = /bot|crawl|spider|slurp|preview|externalhit|pagerenderer|embedly|iframely|vkshare/i;
/** Programs that people run in a terminal. PowerShell puts its name after a browser's, and BusyBox names no version. */
const COMMAND_LINE = /^(?:curl|wget2?|aria2|httpie|xh|lftp|axel|fetch libfetch|filehost)\/|^wget$|PowerShell\//i;
/** Programs that fetch a file for a person, except the programs of `COMMAND_LINE`. */
const DOWNLOADER =
  /^(?:rclone\/|Microsoft BITS\/|Microsoft-CryptoAPI\/|CertUtil URL Agent|Homebrew\/|uclient-fetch|libfetch|HTTPie|Java\/)/i;
/** Apps and servers that fetch a link to show or check it, and do not call themselves a preview. */
const UNFURLER =
  /whatsapp|telegram|discord|slack|kakaotalk|viber|skype|snapchat|line-poker|ms-?office|microsoft (?:office|outlook)|mattermost|mastodon|pleroma|misskey|friendica|rocket\.chat|nextcloud|cardyb|zulip|facebook|facebot|twitter|linkedin|pinterest|tumblr|flipboard|w3c_|validator|safelinks|proofpoint|mimecast|barracuda|mediapartners|lighthouse|link-?check|feedfetcher|feedly|unfurl|urlpreview|opengraph|metascraper/i;
/** HTTP libraries: used by people's scripts, and also by the link previews of messengers. */
const LIBRARY = /^(?:python-requests|go-http-client|node|bun|deno)/i;

/** Classifies a `User-Agent`, of which the server stores only the class. */
export function classifyClient(userAgent: string): ClientClass {
  if (isBot(userAgent)) return "bot";
  if (isCommandLine(userAgent) || LIBRARY.test(userAgent)) return "cli";
  return /^mozilla\//i.test(userAgent) ? "browser" : "other";
}

/** Returns whether a `User-Agent` names a crawler or a link preview. */
export const isBot = (userAgent: string): boolean => BOT.test(userAgent);

/** Returns whether a `User-Agent` names a known command-line client; false for HTTP libraries. */
export const isCommandLine = (userAgent: string): boolean => COMMAND_LINE.test(userAgent);

/** Returns whether a `User-Agent` names a program that fetches a link to show or check it: a crawler, or an app that people send links with. */
export const isPreviewAgent = (userAgent: string): boolean => isBot(userAgent) || UNFURLER.test(userAgent);

/** Returns whether a `User-Agent` names a program with which people download files, in a terminal or not. */
export const isDownloader = (userAgent: string): boolean => isCommandLine(userAgent) || DOWNLOADER.test(userAgent);
