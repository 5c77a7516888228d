import type { ScanStatus } from "../src/contract/scalars.ts";

/** The columns of a file that determine its status. */
export interface FileStatusColumns {
  readonly uploading: boolean;
  readonly scanStatus: ScanStatus;
  readonly scanReason: "infected" | "scan_failed" | null;
  /** `digest_mismatch`: the bytes differ from the expected digest. */
  readonly failure?: "digest_mismatch" | null;
  /** `none` without a scanner; null until the scan has finished. */
  readonly scanCoverage: "whole" | "windowed" | "none" | null;
}

export type FileStatusName =
  | "uploading"
  | "scanning"
  | "scanned"
  | "scanned-in-parts"
  | "unscanned"
  | "infected"
  | "damaged"
  | "scan-failed";

export interface FileStatus {
  readonly name: FileStatusName;
  readonly tone: "wait" | "good" | "note" | "bad";
  readonly headline: string;
  readonly detail: string;
}

const STATUSES: Readonly<Record<FileStatusName, Omit<FileStatus, "name">>> = {
  uploading: {
    tone: "wait",
    headline: "Still uploading",
    detail: "You can download when it finishes. This page updates automatically.",
  },
  scanning: {
    tone: "wait",
    headline: "Scanning for malware…",
    detail: "You can download when it finishes. This page updates automatically.",
  },
  scanned: { tone: "good", headline: "Scanned: no malware found", detail: "" },
  "scanned-in-parts": {
    tone: "good",
    headline: "Scanned in parts: no malware found",
    detail: "The file is too large to scan in one piece.",
  },
  unscanned: {
    tone: "note",
    headline: "Not scanned for malware",
    detail: "Only open it if you trust the sender.",
  },
  infected: {
    tone: "bad",
    headline: "Blocked: malware found",
    detail: "You cannot download this file. Tell the sender.",
  },
  damaged: {
    tone: "bad",
    headline: "Blocked: the file arrived damaged",
    detail: "You cannot download it. Ask the sender to upload it again.",
  },
  "scan-failed": {
    tone: "bad",
    headline: "Blocked: scan failed",
    detail: "Try again later, or ask the sender to upload it again.",
  },
};

/** The status that a page shows for a file. Only the tones `good` and `note` allow a download. */
export function toFileStatus(columns: FileStatusColumns): FileStatus {
  const name = statusName(columns);
  return { name, ...STATUSES[name] };
}

function statusName({ uploading, scanStatus, scanReason, failure, scanCoverage }: FileStatusColumns): FileStatusName {
  if (uploading) return "uploading";
  if (scanStatus === "unavailable" && failure === "digest_mismatch") return "damaged";
  if (scanStatus === "unavailable") return scanReason === "infected" ? "infected" : "scan-failed";
  if (scanStatus !== "clean") return "scanning";
  if (scanCoverage === "none" || scanCoverage === null) return "unscanned";
  return scanCoverage === "windowed" ? "scanned-in-parts" : "scanned";
}

export function isDownloadable(status: FileStatus): boolean {
  return status.tone === "good" || status.tone === "note";
}

/** Whether the status will change, so that the page must refresh. */
export function isWaiting(status: FileStatus): boolean {
  return status.tone === "wait";
}
