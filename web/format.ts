const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Control characters, line separators, zero-width characters and bidirectional controls. */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Formats a time (milliseconds since 1970) in UTC: `22 November 2026, 14:05 UTC`. */
export function formatDate(timeMs: number): string {
  const parts = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC", hourCycle: "h23" });
  return `${parts.format(timeMs).replace(" at ", ", ")} UTC`;
}

/** Formats a time relative to now: `in 3 days`, `in less than a minute`, `2 hours ago`. */
export function formatRelative(timeMs: number, nowMs: number): string {
  const distance = formatDuration(Math.abs(timeMs - nowMs));
  return timeMs < nowMs ? `${distance} ago` : `in ${distance}`;
}

/** Formats a duration: `45 minutes`, `36 hours`, `7 days`. Uses a unit from two of it on, so that rounding loses little. */
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
  /** With its dot; empty without an extension. */
  readonly extension: string;
}

/** Removes invisible characters and bidirectional controls from a text. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, "").replace(LONE_SURROGATES, "\ufffd");
}

/** Splits a name before its extension (`.tar.gz` is one extension). Removes invisible characters. */
export function splitName(name: string): NameParts {
  const visible = visibleText(name);
  const match = /^(.+?)((?:\.tar)?\.[\p{L}\p{N}_+-]{1,12})$/u.exec(visible);
  if (match?.[1] === undefined || match[2] === undefined) return { stem: visible === "" ? "Unnamed file" : visible, extension: "" };
  return { stem: match[1], extension: match[2] };
}

/** A name without its invisible characters. */
export function fullName(name: string): string {
  const { stem, extension } = splitName(name);
  return stem + extension;
}

/** Splits a name like `splitName`, and replaces the middle of a long stem with `…`. */
export function shortenName(name: string, maxCharacters = 90): NameParts {
  const { stem, extension } = splitName(name);
  const room = Math.max(8, maxCharacters - extension.length - 1);
  if (stem.length <= room + 1) return { stem, extension };
  const characters = Array.from(graphemes.segment(stem), (part) => part.segment);
  if (characters.length <= room + 1) return { stem, extension };
  const tail = Math.floor(room / 3);
  return { stem: `${characters.slice(0, room - tail).join("")}…${characters.slice(-tail).join("")}`, extension };
}
