const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const MINUTE_MS = UNIT_MS.m;
export const HOUR_MS = UNIT_MS.h;
export const DAY_MS = UNIT_MS.d;

/** Examples of durations, for messages and helps. */
export const DURATION_SYNTAX = "30s, 12h or 7d";

/** Parses `30s`, `30m`, `24h`, `7d` or `2w` to milliseconds; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,7})([smhdw])$/.exec(text);
  if (!match) return undefined;
  const unit = match[2] as keyof typeof UNIT_MS;
  return Number(match[1]) * UNIT_MS[unit];
}

/** Parses a `ttl` of the API (expiry, "How long a share is kept"), which has no seconds, to milliseconds; undefined for other text. */
export const parseTtl = (text: string): number | undefined => (/^\d{1,4}[mhdw]$/.test(text) ? parseDuration(text) : undefined);

/** Formats milliseconds in the largest unit that divides them, such as `7 days`. */
export function describeDuration(ms: number): string {
  for (const [unit, name] of [
    [UNIT_MS.d, "day"],
    [UNIT_MS.h, "hour"],
    [UNIT_MS.m, "minute"],
  ] as const) {
    if (ms >= unit && ms % unit === 0) return `${ms / unit} ${name}${ms === unit ? "" : "s"}`;
  }
  return `${Math.round(ms / 1000)} seconds`;
}
