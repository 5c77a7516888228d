/** The expiries that a share can be given. */
import { formatRelative } from "../../format.ts";
import { date, language } from "../send/format.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EXPIRY_CHOICES_MS = [HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS];

interface ExpiryChoice {
  readonly label: string;
  readonly expiresAt: string;
}

interface Expiry {
  /** Null: never. */
  readonly expiresAt: string | null;
  readonly latestExpiresAt: string;
}

/** `latestLabel` makes the label of the latest possible time. */
export function listExpiryChoices({ expiresAt, latestExpiresAt }: Expiry, latestLabel: (time: string) => string): readonly ExpiryChoice[] {
  const toTime = (durationMs: number): string => new Date(Date.now() + durationMs).toISOString();
  const sooner = EXPIRY_CHOICES_MS.filter((durationMs) => Date.now() + durationMs < Date.parse(latestExpiresAt));
  const latest = { label: latestLabel(date(latestExpiresAt)), expiresAt: latestExpiresAt };
  return [
    ...sooner.map((durationMs) => ({ label: formatRelative(durationMs, 0, language), expiresAt: toTime(durationMs) })),
    ...(expiresAt === latestExpiresAt ? [] : [latest]),
  ];
}
