/** The names of browsers, from the most specific one: Chromium's browsers also name Chrome, and all of them Safari. */
const BROWSERS = {
  Edge: /\bEdg(?:A|iOS)?\b/,
  Opera: /\bOPR\b/,
  Firefox: /\b(?:Firefox|FxiOS)\b/,
  Chrome: /\b(?:Headless)?Chrome\b|\bCriOS\b/,
  Safari: /\bSafari\b/,
};

const SYSTEMS = {
  iOS: /\b(?:iPhone|iPad)\b/,
  Android: /\bAndroid\b/,
  Windows: /\bWindows\b/,
  macOS: /\bMac OS X\b/,
  ChromeOS: /\bCrOS\b/,
  Linux: /\bLinux\b/,
};

/** Returns the common name of a program and its system, such as `Firefox · Windows`; for other programs the start of their `User-Agent`. */
export function programName(userAgent: string): string {
  const find = (names: Readonly<Record<string, RegExp>>) => Object.entries(names).find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = find(BROWSERS);
  if (browser === undefined) return userAgent.split(" ")[0]?.slice(0, 40) || "?";
  return [browser, find(SYSTEMS)].filter((part) => part !== undefined).join(" · ");
}
