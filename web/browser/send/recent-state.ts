/** What the server says about a share of this device. */
import { sending as texts } from "#texts/sending.ts";
import type { SentShare } from "../device/shares.ts";
import { language, size } from "./format.ts";

export interface ShareState {
  readonly kind: "ready" | "scanning" | "uploading" | "blocked" | "gone" | "unknown";
  readonly expiresAt?: string | null;
  readonly downloadsLeft?: number | null;
}

interface ShareMetadata {
  readonly expires_at: string | null;
  readonly scanStatus: string;
  readonly uploading: boolean;
}

export async function fetchShareState({ shortId, claimToken }: SentShare): Promise<ShareState> {
  try {
    const response = await fetch(`/api/files/share/${shortId}`, { headers: { Accept: "application/json" } });
    if (response.status === 404 || response.status === 410) return { kind: "gone" };
    if (!response.ok) return { kind: "unknown" };
    const share = (await response.json()) as ShareMetadata;
    const downloadsLeft = claimToken === undefined ? null : await fetchDownloadsLeft(shortId, claimToken).catch(() => null);
    return { kind: toKind(share), expiresAt: share.expires_at, downloadsLeft };
  } catch {
    return { kind: "unknown" };
  }
}

/** Null without a limit. Only the sender is told: a change of nothing returns the settings (sharing, "Changing a share"). */
async function fetchDownloadsLeft(shortId: string, claimToken: string): Promise<number | null> {
  const response = await fetch("/api/files/share-settings", {
    method: "PATCH",
    headers: { Accept: "application/json", "Content-Type": "application/json" },
    body: JSON.stringify({ shortId, claimToken }),
  });
  if (!response.ok) return null;
  const { data } = (await response.json()) as { data: { readonly maxDownloads: number | null; readonly downloads: number } };
  return data.maxDownloads === null ? null : Math.max(0, data.maxDownloads - data.downloads);
}

function toKind({ uploading, scanStatus }: ShareMetadata): ShareState["kind"] {
  if (uploading) return "uploading";
  if (scanStatus === "clean") return "ready";
  return scanStatus === "pending" || scanStatus === "scanning" ? "scanning" : "blocked";
}

/** `Ready · 3.2 MB · expires 25 November · 2 downloads left`. */
export function describeState({ sizeBytes }: SentShare, state: ShareState | undefined): string {
  const { kind = "unknown", expiresAt, downloadsLeft } = state ?? {};
  const date =
    expiresAt &&
    new Date(expiresAt).toLocaleString(language === "en" ? "en-GB" : language, {
      day: "numeric",
      month: "long",
      hour: "2-digit",
      minute: "2-digit",
    });
  return [
    texts.states[kind],
    size(sizeBytes),
    date ? texts.expires(date) : "",
    typeof downloadsLeft === "number" ? texts.downloadsLeft(downloadsLeft) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}
