import { formatTime } from "../terminal/text.ts";

interface ScanState {
  readonly scanStatus?: "pending" | "scanning" | "clean" | "unavailable" | null;
  readonly failureReason?: "infected" | "scan_failed" | "digest_mismatch" | null;
  readonly uploading?: boolean | null;
}

interface StateOfShare extends ScanState {
  /** The `status` of a file, or the `state` of a share. */
  readonly state: string;
  readonly unlockRequired?: boolean | null;
  readonly visibility?: string;
  readonly immutable?: boolean;
}

const ENDS: Readonly<Record<string, string>> = {
  expired: "expired",
  used_up: "used up",
  deleted: "deleted",
  dmca_removed: "taken down",
  taken_down: "taken down",
  gone: "gone",
  unknown: "unknown",
};
const BLOCKED = {
  infected: "blocked (malware)",
  scan_failed: "blocked (scan failed)",
  digest_mismatch: "blocked (damaged)",
} as const;

/** Describes the state of a file or share in a few words: `ready, protected`. */
export function describeState({ state, unlockRequired, visibility, immutable, ...scan }: StateOfShare): string {
  const end = ENDS[state];
  if (end !== undefined) return end;
  return [
    describeScan(scan),
    ...(unlockRequired ? ["protected"] : []),
    ...(visibility === "public" || visibility === "private" ? [visibility] : []),
    ...(immutable ? ["immutable"] : []),
  ].join(", ");
}

/** Returns `ready`, or the reason why the file cannot be downloaded now. */
export function describeScan({ scanStatus, failureReason, uploading }: ScanState): string {
  if (uploading) return "uploading";
  if (scanStatus === "unavailable") return failureReason ? BLOCKED[failureReason] : "blocked";
  if (scanStatus === "pending" || scanStatus === "scanning") return "checking";
  return "ready";
}

/** Formats an expiry: `2026-11-22 14:05 UTC`, or `never`. */
export const formatExpiry = (iso: string | null): string => (iso === null ? "never" : formatTime(iso));

/** Formats a number of downloads: `3`, or `3 of 10` if the number is limited. */
export const formatDownloads = (downloads: number | null, maxDownloads: number | null = null): string =>
  downloads === null ? "-" : maxDownloads === null ? String(downloads) : `${downloads} of ${maxDownloads}`;
