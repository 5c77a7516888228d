import { parseTypedSize } from "../../site/typed-size.ts";
import type { Language } from "../../texts/languages.ts";

/** The units of times, with the beginnings of their names in the languages of the site, without accents. */
const UNITS = {
  d: { name: "day", pattern: /^(d|day|days|tag|tage|tagen|j|jour|jours)$/ },
  h: { name: "hour", pattern: /^(h|hour|hours|std|stunde|stunden|heure|heures)$/ },
  m: { name: "minute", pattern: /^(m|min|minute|minutes|minuten)$/ },
  s: { name: "second", pattern: /^(s|second|seconds|sekunde|sekunden|seconde|secondes)$/ },
} as const;

/** Returns the value of a limit as people write it: `3 days` for `3d`, `2 GB` for `2GB`, `1,000` for `1000`. Other values stay. */
export function toWords(language: Language, kind: string, value: string): string {
  if (kind === "size") {
    const [, number, unit] = /^([\d.]+)([KMGT])B$/.exec(value) ?? [];
    if (number === undefined || unit === undefined) return value;
    return `${language === "en" ? number : number.replace(".", ",")} ${unit}${language === "fr" ? "o" : "B"}`;
  }
  if (kind === "count" && /^\d{4,15}$/.test(value)) return Number(value).toLocaleString(language).replaceAll(/\s/g, " ");
  const [, number, unit] = kind === "duration" ? (/^(\d+)([dhms])$/.exec(value) ?? []) : [];
  if (number === undefined || unit === undefined) return value;
  const format = new Intl.NumberFormat(language, { style: "unit", unit: UNITS[unit as keyof typeof UNITS].name, unitDisplay: "long" });
  return format.format(Number(number)).replaceAll(/\s/g, " ");
}

/** Returns the value that the words of a limit stand for: `3d` for `3 days`. Other words stay, and are refused as a value. */
export function fromWords(language: Language, kind: string, words: string): string {
  if (kind === "size") {
    const bytes = parseTypedSize(words, language, "B");
    return bytes === undefined ? words : `${bytes}B`;
  }
  if (kind === "count" && /^\d{1,3}([\s.,’']\d{3})+$/.test(words)) return words.replaceAll(/\D/g, "");
  if (kind !== "duration") return words;
  const [, number, name = ""] = /^(\d+)\s*(\p{L}+)\.?$/u.exec(words) ?? [];
  const unit = Object.entries(UNITS).find(([, { pattern }]) => pattern.test(name.toLowerCase()))?.[0];
  return number === undefined || unit === undefined ? words : number + unit;
}
