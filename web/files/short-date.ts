import type { Language } from "../texts/languages.ts";

const LOCALES: Readonly<Record<Language, string>> = { en: "en-GB", de: "de", fr: "fr" };

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a cached format, because creating one takes longer than formatting. */
function formatOf(language: Language, kind: "time" | "day" | "year" | "exact", timeZone: string | undefined): Intl.DateTimeFormat {
  const key = `${language} ${kind} ${timeZone}`;
  const known = formats.get(key);
  if (known) return known;
  const day = { day: "numeric", month: "short" } as const;
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const options = {
    time,
    day,
    year: { ...day, year: "numeric" },
    exact: { ...day, year: "numeric", ...time, timeZoneName: "short" },
  } as const;
  const made = new Intl.DateTimeFormat(LOCALES[language], { ...options[kind], timeZone });
  formats.set(key, made);
  return made;
}

/** Formats a time in its shortest clear form: `14:05` today, `22 Nov` this year, otherwise `22 Nov 2025`. */
export function formatShortDate(timeMs: number, nowMs: number, language: Language, timeZone?: string): string {
  const year = formatOf(language, "year", timeZone);
  if (year.format(timeMs) === year.format(nowMs)) return formatOf(language, "time", timeZone).format(timeMs);
  const isThisYear = new Date(timeMs).getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  return (isThisYear ? formatOf(language, "day", timeZone) : year).format(timeMs);
}

/** Formats a time with its year and time zone, for the pointer and screen readers. */
export const formatExactDate = (timeMs: number, language: Language, timeZone?: string): string =>
  formatOf(language, "exact", timeZone).format(timeMs);
