/** The server's state of a share of this device. */
import { sending as texts } from "#texts/sending";
import { sumBytes } from "../../sending/browser/chosen-files.ts";
import { changeSentShare, EndedError, type ShareSettings } from "../../sending/browser/sender-calls.ts";
import { language, size } from "../../site/browser/components/format.ts";
import type { SentShare } from "../../site/browser/device/shares.ts";
import { formatRelative } from "../../site/format.ts";

export interface ShareState {
  readonly kind: "ready" | "scanning" | "uploading" | "blocked" | "ended" | "claimed" | "deleting" | "unknown";
  readonly expiresAt?: string | null;
  readonly downloadsLeft?: number;
}

export async function fetchShareState(share: SentShare): Promise<ShareState> {
  try {
    const settings = await changeSentShare(share);
    const { expiresAt, maxDownloads, downloads } = settings;
    const downloadsLeft = maxDownloads === null ? undefined : Math.max(0, maxDownloads - downloads);
    return { kind: toKind(share, settings), expiresAt, downloadsLeft };
  } catch (error) {
    return { kind: error instanceof EndedError ? error.end : "unknown" };
  }
}

function toKind({ isComplete }: SentShare, { uploading, scanStatus }: ShareSettings): ShareState["kind"] {
  if (uploading || !isComplete) return "uploading";
  if (scanStatus === "clean") return "ready";
  return scanStatus === "unavailable" ? "blocked" : "scanning";
}

/** Describes a share: `3.2 MB · expires in 3 days · 2 downloads left`. The state of a share that can be downloaded needs no word. */
export function describeSentShare({ files }: SentShare, state: ShareState | undefined): string {
  const { kind = "unknown", expiresAt, downloadsLeft } = state ?? {};
  return [
    kind === "ready" ? "" : texts.states[kind],
    size(sumBytes(files)),
    expiresAt ? texts.expires(formatRelative(Date.parse(expiresAt), Date.now(), language)) : "",
    downloadsLeft === undefined ? "" : texts.downloadsLeft(downloadsLeft),
  ]
    .filter(Boolean)
    .join(" · ");
}
