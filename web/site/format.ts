import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/text/duration.ts";
import { joinUnits } from "../../src/lib/text/format-size.ts";
import { hasVisible } from "../../src/lib/text/has-visible.ts";
import type { Language } from "../texts/languages.ts";

/** Control characters, line separators, zero-width characters and bidirectional controls. */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

const LOCALES: Readonly<Record<Language, string>> = { en: "en-GB", de: "de", fr: "fr" };

/** The reader of a time. */
export interface Reader {
  readonly language: Language;
  /** The name of a time zone as the IANA writes it: `Europe/Rome`, `UTC`. */
  readonly timeZone: string;
}

/** Formats a day in UTC, such as `2026-11-22`, without its year: `22 Nov`. */
export const formatDay = (day: string, language: Language): string => formatters(language).day.format(Date.parse(day));

/** Formats a time (milliseconds since 1970) in the reader's time zone: `22 November 2026, 15:05 CET`. */
export function formatDate(timeMs: number, reader: Reader): string {
  const { date, time } = timeFormatters(reader);
  return `${date.format(timeMs)}, ${time.format(timeMs)}`;
}

/** Formats the day of a time in the reader's time zone: `22 November 2026`. */
export const formatLongDay = (timeMs: number, reader: Reader): string => timeFormatters(reader).date.format(timeMs);

/** Formats a time of day in the reader's time zone, below a heading that has the day: `15:05`. */
export const formatClock = (timeMs: number, reader: Reader): string => timeFormatters(reader).clock.format(timeMs);

/** Formats the month of a time in the reader's time zone: `November 2026`. */
export const formatMonth = (timeMs: number, reader: Reader): string => timeFormatters(reader).month.format(timeMs);

const cachedTimes = new Map<string, ReturnType<typeof createTimeFormatters>>();
const MAX_CACHED_TIMES = 32;

function timeFormatters({ language, timeZone }: Reader): ReturnType<typeof createTimeFormatters> {
  const key = `${language} ${timeZone}`;
  const known = cachedTimes.get(key);
  if (known) return known;
  if (cachedTimes.size >= MAX_CACHED_TIMES) cachedTimes.clear();
  const created = createTimeFormatters(LOCALES[language], timeZone);
  cachedTimes.set(key, created);
  return created;
}

const createTimeFormatters = (locale: string, timeZone: string) => ({
  date: new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone }),
  time: new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short", timeZone }),
  clock: new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone }),
  month: new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone }),
});

/** Formats US cents: `$4.99`, `4,99 $`. */
export const formatDollars = (cents: number, language: Language): string =>
  new Intl.NumberFormat(language === "en" ? "en-US" : language, { style: "currency", currency: "USD" }).format(cents / 100);

// Texts with numbers have a no-break space before the unit or the noun, so that no line begins with it (pages, "Languages").

const JUST_NOW: Readonly<Record<Language, string>> = { en: "just now", de: "gerade eben", fr: "à l’instant" };

/**
 * Formats a time relative to now: `in 3 days`, `in 20 seconds`, `1 hour ago`, and `just now` in the second after it. A time to come is more exact,
 * because people wait for it.
 */
export function formatRelative(timeMs: number, nowMs: number, language: Language): string {
  const { relative } = formatters(language);
  if (timeMs > nowMs) {
    const { value, unit } = toUnit(timeMs - nowMs);
    return joinUnits(relative.format(value, unit));
  }
  const agoMs = nowMs - timeMs;
  if (agoMs < 1000) return JUST_NOW[language];
  const [unit, unitMs] = UNITS.find(([, unitMs]) => agoMs >= unitMs) ?? (["second", 1000] as const);
  return joinUnits(relative.format(-Math.floor(agoMs / unitMs), unit));
}

const UNITS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
] as const;

/** Formats a duration: `45 minutes`, `36 hours`, `7 days`. Uses a unit from two of it on, so that rounding loses little. */
export function formatDuration(durationMs: number, language: Language): string {
  const { value, unit } = toUnit(durationMs);
  return joinUnits(formatters(language).units[unit].format(value));
}

type Unit = "second" | "minute" | "hour" | "day";

function toUnit(durationMs: number): { readonly value: number; readonly unit: Unit } {
  // What is rounded up to two of a unit has this unit: `2 days`, not `48 hours`.
  if (durationMs < 2 * MINUTE_MS - 500 && durationMs !== MINUTE_MS) return { value: Math.round(durationMs / 1000), unit: "second" };
  if (durationMs < 2 * HOUR_MS - MINUTE_MS / 2 && durationMs !== HOUR_MS)
    return { value: Math.round(durationMs / MINUTE_MS), unit: "minute" };
  if (durationMs < 2 * DAY_MS - HOUR_MS / 2) return { value: Math.round(durationMs / HOUR_MS), unit: "hour" };
  return { value: Math.round(durationMs / DAY_MS), unit: "day" };
}

/** Formats a number with its noun: `1 file`, `1,200 files`; in French also `0 fichier`. */
export function counted(count: number, language: Language, one: string, other: string): string {
  const { number, plural } = formatters(language);
  return `${number.format(count)}\u00a0${plural.select(count) === "one" ? one : other}`;
}

const cached = new Map<Language, ReturnType<typeof createFormatters>>();

/** Returns cached formatters, because creating them takes longer than formatting. */
function formatters(language: Language): ReturnType<typeof createFormatters> {
  const known = cached.get(language) ?? createFormatters(LOCALES[language]);
  cached.set(language, known);
  return known;
}

function createFormatters(locale: string) {
  const inUnit = (unit: Unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" });
  return {
    day: new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" }),
    relative: new Intl.RelativeTimeFormat(locale),
    number: new Intl.NumberFormat(locale),
    plural: new Intl.PluralRules(locale),
    units: { second: inUnit("second"), minute: inUnit("minute"), hour: inUnit("hour"), day: inUnit("day") },
  };
}

export interface NameParts {
  readonly stem: string;
  /** The extension with its dot; empty if the name has none. */
  readonly extension: string;
}

/** Removes invisible characters and bidirectional controls from a text. A text in which nothing is visible becomes empty. */
export function visibleText(text: string): string {
  return hasVisible(text) ? text.replace(INVISIBLE, "").replace(LONE_SURROGATES, "\ufffd") : "";
}

/** Removes case, accents and invisible characters from a text. */
export const toSearchText = (text: string): string => visibleText(text).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Returns the path of a folder as people read it. */
export const toFolderName = (path: string): string => path.split("/").map(fullName).join(" / ");

/** Returns the first letter of a name; for a name without letters, its first character. */
export function initialOf(name: string): string {
  const characters = Array.from(graphemes.segment(name), ({ segment }) => segment);
  return (characters.find((character) => /\p{L}/u.test(character)) ?? characters[0] ?? "").toUpperCase();
}

/** Splits a name before its extension (`.tar.gz` is one extension). Removes invisible characters; a name of only such characters becomes `_`. */
export function splitName(name: string): NameParts {
  const visible = visibleText(name);
  const match = /^(.+?)((?:\.tar)?\.[\p{L}\p{N}_+-]{1,12})$/u.exec(visible);
  if (match?.[1] === undefined || match[2] === undefined) return { stem: visible === "" ? "_" : visible, extension: "" };
  return { stem: match[1], extension: match[2] };
}

/** Returns a name without its invisible characters. */
export function fullName(name: string): string {
  const { stem, extension } = splitName(name);
  return stem + extension;
}

/** Splits a name like `splitName`, and replaces the middle of a long stem with `…`. */
export function shortenName(name: string, maxCharacters = 120): NameParts {
  const { stem, extension } = splitName(name);
  const room = Math.max(8, maxCharacters - extension.length - 1);
  if (stem.length <= room + 1) return { stem, extension };
  const characters = Array.from(graphemes.segment(stem), (part) => part.segment);
  if (characters.length <= room + 1) return { stem, extension };
  const tail = Math.floor(room / 3);
  return { stem: `${characters.slice(0, room - tail).join("")}…${characters.slice(-tail).join("")}`, extension };
}
