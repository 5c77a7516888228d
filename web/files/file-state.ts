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
const SOON_MS = 48 * 3_600_000;

/** Returns what a list says about a file that differs from a file with one link that works for days; undefined for such a file. */
export function toShownState(texts: FilesTextsInUse, language: Language, file: FileView, nowMs: number): ShownState | undefined {
  const { tone, text } = toMainState(texts, language, file, nowMs) ?? { tone: "good", text: "" };
  const { files } = texts;
  const words = [
    text,
    file.unlockRequired ? files.protected : "",
    file.visibility === "private" ? files.notShared : "",
    file.visibility === "public" ? files.public : "",
    file.linkCount > 1 ? files.links(file.linkCount) : "",
    file.immutable ? files.immutable : "",
  ].filter((word) => word !== "");
  return words.length === 0 ? undefined : { tone, text: words.join(" · ") };
}

/** Returns the problem of a file, its pending work, or its expiry if that is soon. */
function toMainState(texts: FilesTextsInUse, language: Language, file: FileView, nowMs: number): ShownState | undefined {
  if (file.status === "dmca_removed") return { tone: "bad", text: texts.files.takenDown };
  if (file.status !== "active") return { tone: "note", text: texts.files.expired };
  if (file.scanStatus === "unavailable") {
    const status = file.isBlocklisted ? "blocklisted" : BLOCKED[file.failureReason ?? "scan_failed"];
    return { tone: "bad", text: texts.status[status].word };
  }
  if (file.scanStatus !== "clean") return { tone: "wait", text: texts.status.scanning.word };
  if (file.expiresAt === null) return undefined;
  const expiresAtMs = Date.parse(file.expiresAt);
  const isSoon = expiresAtMs - nowMs < SOON_MS;
  return isSoon ? { tone: "note", text: texts.files.expires(formatRelative(expiresAtMs, nowMs, language)) } : undefined;
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
