import type { FileStatusName } from "../../site/file-status.ts";

interface StatusTexts {
  readonly headline: string;
  readonly detail: string;
  /** In a list, where it differs from the other files. */
  readonly word: string;
}

/** The status of one file. */
export const status: Readonly<Record<FileStatusName, StatusTexts>> = {
  uploading: {
    headline: "Still uploading",
    detail: "You can download when it finishes. This page updates automatically.",
    word: "Uploading…",
  },
  scanning: {
    headline: "Checking the file…",
    detail: "You can download when it finishes. This page updates automatically.",
    word: "Checking…",
  },
  scanned: { headline: "Scanned: no malware found", detail: "", word: "Scanned" },
  scannedInParts: {
    headline: "Scanned in parts: no malware found",
    detail: "The file is too large to scan in one piece.",
    word: "Scanned in parts",
  },
  unscanned: { headline: "Not scanned for malware", detail: "Only open it if you trust the sender.", word: "Not scanned" },
  encrypted: {
    headline: "The sender encrypted this file",
    detail: "The server could not check it. Only open it if you trust the sender.",
    word: "Encrypted, not checked",
  },
  infected: {
    headline: "Blocked: malware found",
    detail: "You cannot download this file. Tell the sender.",
    word: "Blocked: malware",
  },
  damaged: {
    headline: "Blocked: the file arrived damaged",
    detail: "You cannot download it. Ask the sender to upload it again.",
    word: "Blocked: damaged",
  },
  blocklisted: {
    headline: "Blocked by the administrator",
    detail: "This site does not allow this file. If this is a mistake, ask the administrator.",
    word: "Blocked by the administrator",
  },
  scanFailed: {
    headline: "Blocked: scan failed",
    detail: "Try again later, or ask the sender to upload it again.",
    word: "Blocked: scan failed",
  },
};

export type AllStatusTexts = typeof status;
