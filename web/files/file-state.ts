import { type FileStatusName, toFileStatus } from "../site/file-status.ts";
import { formatRelative } from "../site/format.ts";
import type { AllStatusTexts } from "../site/texts/en.ts";
import type { Language } from "../texts/languages.ts";
import type { FileDetails } from "./file-details.ts";
import type { FileView } from "./file-views.ts";
import type { FilesTexts } from "./texts/en.ts";

export interface FilesTextsInUse {
  readonly files: FilesTexts;
  readonly status: AllStatusTexts;
}

export interface ShownState {
  readonly tone: "good" | "wait" | "note" | "bad";
  readonly text: string;
}

const BLOCKED = { infected: "infected", digest_mismatch: "damaged", scan_failed: "scanFailed" } as const;
const SOON_MS = 24 * 3_600_000;

/** Returns the text that a list shows for a file: its problem or its pending work, otherwise its expiry. */
export function toShownState(texts: FilesTextsInUse, language: Language, file: FileView, nowMs: number): ShownState {
  if (file.status === "dmca_removed") return { tone: "bad", text: texts.files.takenDown };
  if (file.status !== "active") return { tone: "note", text: texts.files.expired };
  if (file.scanStatus === "unavailable") {
    const status = file.isBlocklisted ? "blocklisted" : BLOCKED[file.failureReason ?? "scan_failed"];
    return { tone: "bad", text: texts.status[status].word };
  }
  if (file.scanStatus !== "clean") return { tone: "wait", text: texts.status.scanning.word };
  if (file.expiresAt === null) return { tone: "good", text: texts.files.kept };
  const expiresAtMs = Date.parse(file.expiresAt);
  return {
    tone: expiresAtMs - nowMs < SOON_MS ? "note" : "good",
    text: texts.files.expires(formatRelative(expiresAtMs, nowMs, language)),
  };
}

/** Whether the file can be downloaded now. */
export const isFileDownloadable = ({ status, scanStatus }: FileView): boolean => status === "active" && scanStatus === "clean";

/** Whether the file's state will soon change without an action. */
export const isFileWaiting = ({ status, scanStatus }: FileView): boolean =>
  status === "active" && (scanStatus === "pending" || scanStatus === "scanning");

const REASONS = { infected: "infected", scan_failed: "scan_failed", digest_mismatch: null } as const;

/** Returns the text for the owner about a file's scan. */
export const toScanText = ({
  scanStatus,
  failureReason,
  isBlocklisted,
  scanCoverage,
  encrypted,
}: FileView & Pick<FileDetails, "scanCoverage">): FileStatusName =>
  toFileStatus({
    uploading: false,
    scanStatus,
    scanReason: failureReason === null ? null : REASONS[failureReason],
    failure: failureReason === "digest_mismatch" ? failureReason : null,
    isBlocklisted,
    scanCoverage,
    isEncrypted: encrypted,
  });
