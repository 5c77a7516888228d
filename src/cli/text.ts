/** Rows as columns of equal width, a line each; what could steer a terminal is shown as `?`. */
export function alignColumns(rows: readonly (readonly string[])[], indent = ""): string {
  const cells = rows.map((row) => row.map(toPlain));
  const widths: number[] = [];
  for (const row of cells) for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return cells
    .map((row) => `${indent}${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd())
    .map((line) => `${line}\n`)
    .join("");
}

/** A table with its headings, or `empty` where it has no row. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  return rows.length === 0 ? `${empty}\n` : alignColumns([headings, ...rows]);
}

/** `a file`, `3 files`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** `740 B`, `1.2 MB`; MB and the others are powers of 1024. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** `40 s`, `12 min`, `3 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** An ISO time as people read it, `-` for none. */
export const formatTime = (iso: string | null): string => (iso === null ? "-" : `${iso.slice(0, 16).replace("T", " ")} UTC`);

const toPlain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
