const BINARY_UNITS = ["KB", "MB", "GB", "TB", "PB"] as const;
/** Units of languages that name them otherwise. */
const UNITS: Readonly<Record<string, readonly string[]>> = { fr: ["Ko", "Mo", "Go", "To", "Po"] };

/** Formats bytes in powers of 1024, with one decimal below 10: `0 bytes`, `3.2 MB`, `512 GB`; in German `3,2 MB`. */
export function formatSize(sizeBytes: number, language = "en"): string {
  if (sizeBytes < 1024) return sizeBytes.toLocaleString(language, { style: "unit", unit: "byte", unitDisplay: "long", useGrouping: false });
  let value = sizeBytes / 1024;
  let unit = 0;
  while (rounded(value) >= 1024 && unit < BINARY_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${rounded(value).toLocaleString(language)} ${(UNITS[language] ?? BINARY_UNITS)[unit]}`;
}

function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}
