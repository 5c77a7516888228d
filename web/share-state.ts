import type { ScanStatus } from "../src/contract/scalars.ts";

/** What the state of a file's check rests on; the names are those of the `files` table. */
export interface CheckFacts {
  readonly uploading: boolean;
  readonly scanStatus: ScanStatus;
  readonly scanReason: "infected" | "scan_failed" | null;
  /** The bytes are not those whose digest was announced. */
  readonly failure?: "digest_mismatch" | null;
  /** `none` where no scanner looked; null until the check has ended. */
  readonly scanCoverage: "whole" | "windowed" | "none" | null;
}

export type ShareStateName =
  | "uploading"
  | "checking"
  | "checked"
  | "checked-in-parts"
  | "unchecked"
  | "infected"
  | "damaged"
  | "check-failed";

export interface ShareState {
  readonly name: ShareStateName;
  readonly look: "wait" | "good" | "note" | "bad";
  readonly headline: string;
  readonly detail: string;
}

const STATES: Readonly<Record<ShareStateName, Omit<ShareState, "name">>> = {
  uploading: {
    look: "wait",
    headline: "The upload is under way",
    detail: "The sender’s file is still arriving. This page updates by itself.",
  },
  checking: {
    look: "wait",
    headline: "Checking for malware…",
    detail: "You can download as soon as that is done. This page updates by itself.",
  },
  checked: { look: "good", headline: "Checked, no malware found", detail: "" },
  "checked-in-parts": {
    look: "good",
    headline: "Checked in parts, no malware found",
    detail: "The file is too large for the scanner to look at it in one piece.",
  },
  unchecked: {
    look: "note",
    headline: "Not checked: this server has no malware scanner",
    detail: "Open the file only if you trust its sender.",
  },
  infected: {
    look: "bad",
    headline: "Blocked: malware was found",
    detail: "This file cannot be downloaded. Please tell its sender.",
  },
  damaged: {
    look: "bad",
    headline: "Blocked: the file arrived damaged",
    detail: "Nobody can download it. Ask the sender to send it again.",
  },
  "check-failed": {
    look: "bad",
    headline: "Blocked: the check could not be finished",
    detail: "Nobody can download the file for now. Try again later, or ask its sender to upload it again.",
  },
};

/** The state that a person is told; only `look` `good` and `note` allow a download. */
export function toShareState(facts: CheckFacts): ShareState {
  const name = stateName(facts);
  return { name, ...STATES[name] };
}

function stateName({ uploading, scanStatus, scanReason, failure, scanCoverage }: CheckFacts): ShareStateName {
  if (uploading) return "uploading";
  if (scanStatus === "unavailable" && failure === "digest_mismatch") return "damaged";
  if (scanStatus === "unavailable") return scanReason === "infected" ? "infected" : "check-failed";
  if (scanStatus !== "clean") return "checking";
  if (scanCoverage === "none" || scanCoverage === null) return "unchecked";
  return scanCoverage === "windowed" ? "checked-in-parts" : "checked";
}

export function isDownloadable(state: ShareState): boolean {
  return state.look === "good" || state.look === "note";
}

/** Whether the page has reason to look again. */
export function isWaiting(state: ShareState): boolean {
  return state.look === "wait";
}
