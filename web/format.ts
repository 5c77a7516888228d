const SIZE_UNITS = ["KB", "MB", "GB", "TB", "PB"] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** C0 and C1 controls, line separators, zero-width marks and everything that turns the direction of text around. */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Bytes in human words, powers of 1024, at most two significant decimals below 10: `0 bytes`, `3.2 MB`, `512 GB`. */
export function formatSize(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"}`;
  let value = sizeBytes / 1024;
  let unit = 0;
  while (rounded(value) >= 1024 && unit < SIZE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${rounded(value).toLocaleString("en")} ${SIZE_UNITS[unit]}`;
}

function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}

/** A moment (milliseconds since 1970) in UTC: `22 November 2026, 14:05 UTC`. */
export function formatDate(timeMs: number): string {
  const parts = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC", hourCycle: "h23" });
  return `${parts.format(timeMs).replace(" at ", ", ")} UTC`;
}

/** How far away a moment is: `in 3 days`, `in less than a minute`, `2 hours ago`. Two of a unit are reached before it is used, so that little is rounded away. */
export function formatRelative(timeMs: number, nowMs: number): string {
  const distance = formatDuration(Math.abs(timeMs - nowMs));
  return timeMs < nowMs ? `${distance} ago` : `in ${distance}`;
}

/** A length of time in its fitting unit: `45 minutes`, `36 hours`, `7 days`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < MINUTE_MS) return "less than a minute";
  if (durationMs < 2 * HOUR_MS && durationMs !== HOUR_MS) return counted(Math.round(durationMs / MINUTE_MS), "minute");
  if (durationMs < 2 * DAY_MS) return counted(Math.round(durationMs / HOUR_MS), "hour");
  return counted(Math.round(durationMs / DAY_MS), "day");
}

/** `1 file`, `1,200 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

export interface NameParts {
  readonly stem: string;
  /** With its dot; empty where there is none. */
  readonly extension: string;
}

/** A text without what is invisible or turns the direction of text around. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, "").replace(LONE_SURROGATES, "\ufffd");
}

/** Splits a name before its extension (`.tar.gz` is one), having taken out what is invisible or turns text around. */
export function splitName(name: string): NameParts {
  const visible = visibleText(name);
  const match = /^(.+?)((?:\.tar)?\.[\p{L}\p{N}_+-]{1,12})$/u.exec(visible);
  if (match?.[1] === undefined || match[2] === undefined) return { stem: visible === "" ? "Unnamed file" : visible, extension: "" };
  return { stem: match[1], extension: match[2] };
}

/** Like `splitName`, the middle of a long stem replaced by `…`: the end of a name and its extension always show. */
export function shortenName(name: string, maxCharacters = 90): NameParts {
  const { stem, extension } = splitName(name);
  const room = Math.max(8, maxCharacters - extension.length - 1);
  if (stem.length <= room + 1) return { stem, extension };
  const characters = Array.from(graphemes.segment(stem), (part) => part.segment);
  if (characters.length <= room + 1) return { stem, extension };
  const tail = Math.floor(room / 3);
  return { stem: `${characters.slice(0, room - tail).join("")}…${characters.slice(-tail).join("")}`, extension };
}
