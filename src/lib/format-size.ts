const UNITS = ["KB", "MB", "GB", "TB", "PB"] as const;

/** Formats bytes in powers of 1024, with one decimal below 10: `0 bytes`, `3.2 MB`, `512 GB`. */
export function formatSize(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"}`;
  let value = sizeBytes / 1024;
  let unit = 0;
  while (rounded(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${rounded(value).toLocaleString("en")} ${UNITS[unit]}`;
}

function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}
