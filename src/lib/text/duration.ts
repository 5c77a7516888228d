const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const MINUTE_MS = UNIT_MS.m;
export const HOUR_MS = UNIT_MS.h;
export const DAY_MS = UNIT_MS.d;

/** Parses `30m`, `24h`, `7d` or `2w` to milliseconds; undefined for other text. */
export function parseTtl(text: string): number | undefined {
  const match = /^(\d{1,4})([mhdw])$/.exec(text);
  if (!match) return undefined;
  const unit = match[2] as keyof typeof UNIT_MS;
  return Number(match[1]) * UNIT_MS[unit];
}

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
