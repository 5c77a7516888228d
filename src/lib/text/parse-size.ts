/** A size with a binary unit: `1GB`, `1G` and `1GiB` are equal. */
const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([KMGT])(?:i?B)?|B)?$/i;
const UNITS: Readonly<Record<string, number>> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Examples of sizes, for messages. */
export const SIZE_SYNTAX = "500MB or 2GB";

/** Parses `10MB`, `1.5 GiB` or `4096` to bytes; undefined for other text. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text.trim());
  return match === null ? undefined : Math.round(Number(match[1]) * (UNITS[(match[2] ?? "").toUpperCase()] ?? 1));
}
