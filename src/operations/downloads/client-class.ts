export type ClientClass = "browser" | "cli" | "bot" | "other";

/** What kind of program a `User-Agent` names; all that is kept of it. */
export function classifyClient(userAgent: string): ClientClass {
  if (/bot|crawl|spider|slurp|preview/i.test(userAgent)) return "bot";
  if (/^(curl|wget|httpie|aria2|filehost|python-requests|go-http-client|node|bun|deno)/i.test(userAgent)) return "cli";
  return /^mozilla\//i.test(userAgent) ? "browser" : "other";
}
