/** Sizes and durations in the language of a page. */
import type { Language } from "./texts/languages.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface SizeTexts {
  readonly bytes: (count: number) => string;
  readonly units: readonly string[];
}

/** Formats bytes in powers of 1024, with one decimal below 10: `0 bytes`, `3.2 MB`. */
export function formatBytes(sizeBytes: number, { bytes, units }: SizeTexts, language: string): string {
  const size = Math.max(0, Math.round(sizeBytes));
  if (size < 1024) return bytes(size);
  let value = size / 1024;
  let unit = 0;
  while (rounded(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${rounded(value).toLocaleString(language)} ${units[unit]}`;
}

const rounded = (value: number): number => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

/** Formats a duration: `45 seconds`, `36 hours`, `7 days`. Uses a unit from two of it on, so that rounding loses little. */
export function formatSpan(durationMs: number, language: Language | string): string {
  const [count, unit] = toUnit(durationMs);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

function toUnit(durationMs: number): [number, "second" | "minute" | "hour" | "day"] {
  if (durationMs < 90_000) return [Math.max(1, Math.ceil(durationMs / 1000)), "second"];
  if (durationMs < 2 * HOUR_MS && durationMs !== HOUR_MS) return [Math.round(durationMs / MINUTE_MS), "minute"];
  if (durationMs < 2 * DAY_MS) return [Math.round(durationMs / HOUR_MS), "hour"];
  return [Math.round(durationMs / DAY_MS), "day"];
}
