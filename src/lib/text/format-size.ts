const BINARY_UNITS = ["KB", "MB", "GB", "TB", "PB"] as const;
/** Units in languages with their own names. */
const UNITS: Readonly<Record<string, readonly string[]>> = { fr: ["Ko", "Mo", "Go", "To", "Po"] };

/**
 * Formats bytes in powers of 1024, with one decimal below 10 and three digits at most: `0 bytes`, `3.2 MB`, `512 GB`. In a language, it is a text
 * of a page, in which no line breaks before the unit: `3,2\u00a0MB` in German.
 */
export function formatSize(sizeBytes: number, language?: string): string {
  const text = format(sizeBytes, language ?? "en");
  return language === undefined ? text : joinUnits(text);
}

/** Replaces the spaces after numbers by no-break spaces. */
export const joinUnits = (text: string): string => text.replace(/(?<=\d) /g, "\u00a0");

function format(sizeBytes: number, language: string): string {
  const { bytes, number } = formatters(language);
  if (sizeBytes < 1000) return bytes.format(sizeBytes);
  let value = sizeBytes / 1024;
  let unit = 0;
  while (rounded(value) >= 1000 && unit < BINARY_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${number.format(rounded(value))} ${(UNITS[language] ?? BINARY_UNITS)[unit]}`;
}

function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}

const cached = new Map<string, ReturnType<typeof createFormatters>>();

/** Returns the formatters of a language, which are cached because creating them takes longer than formatting. */
function formatters(language: string): ReturnType<typeof createFormatters> {
  const known = cached.get(language) ?? createFormatters(language);
  cached.set(language, known);
  return known;
}

const createFormatters = (language: string) => ({
  bytes: new Intl.NumberFormat(language, { style: "unit", unit: "byte", unitDisplay: "long" }),
  number: new Intl.NumberFormat(language),
});
