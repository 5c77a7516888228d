import type { ScanStatus } from "../../src/contract/scalars.ts";

/** The columns of a file that determine its status. */
export interface FileStatusColumns {
  readonly uploading: boolean;
  readonly scanStatus: ScanStatus;
  readonly scanReason: "infected" | "scan_failed" | null;
  /** `digest_mismatch`: the bytes differ from the expected digest. */
  readonly failure?: "digest_mismatch" | null;
  /** Whether the administrator has blocked the file. Only its owner learns this. */
  readonly isBlocklisted?: boolean;
  /** `none` without a scanner; null until the scan has finished. */
  readonly scanCoverage: "whole" | "windowed" | "none" | null;
  /** Whether the sender encrypted the file, so that a scan cannot check its contents. */
  readonly isEncrypted?: boolean;
}

const TONES = {
  uploading: "wait",
  scanning: "wait",
  scanned: "good",
  scannedInParts: "good",
  unscanned: "note",
  encrypted: "note",
  infected: "bad",
  damaged: "bad",
  blocklisted: "bad",
  scanFailed: "bad",
} as const;

export type FileStatusName = keyof typeof TONES;
export type Tone = (typeof TONES)[FileStatusName];

/** Returns the status that a page shows for a file. */
export function toFileStatus({
  uploading,
  scanStatus,
  scanReason,
  failure,
  isBlocklisted,
  scanCoverage,
  isEncrypted,
}: FileStatusColumns): FileStatusName {
  if (uploading) return "uploading";
  if (scanStatus === "unavailable" && failure === "digest_mismatch") return "damaged";
  if (scanStatus === "unavailable" && isBlocklisted) return "blocklisted";
  if (scanStatus === "unavailable") return scanReason === "infected" ? "infected" : "scanFailed";
  if (scanStatus !== "clean") return "scanning";
  if (isEncrypted) return "encrypted";
  if (scanCoverage === "none" || scanCoverage === null) return "unscanned";
  return scanCoverage === "windowed" ? "scannedInParts" : "scanned";
}

export const toneOf = (status: FileStatusName): Tone => TONES[status];

export const isDownloadable = (status: FileStatusName): boolean => toneOf(status) === "good" || toneOf(status) === "note";

/** Whether the status will change, so that the page must refresh. */
export const isWaiting = (status: FileStatusName): boolean => toneOf(status) === "wait";

export const isBlocked = (status: FileStatusName): boolean => toneOf(status) === "bad";
