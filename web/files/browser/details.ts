/** The requests of a file's details. */
import type { Credentials, FileDetails } from "../file-details.ts";
import { ask } from "./requests.ts";

export const loadDetails = async (id: string): Promise<FileDetails> =>
  (await ask<{ data: FileDetails }>("GET", `/files/${encodeURIComponent(id)}/details`)).data;

/** A change of the share's settings, or of its file. */
export interface SettingsChange {
  readonly title?: string | null;
  readonly message?: string | null;
  readonly expiresAt?: string;
  readonly maxDownloads?: number | null;
  readonly priceCents?: number | null;
  readonly priceThumbnails?: boolean;
  /** Whether buyers lose what they paid for. */
  readonly force?: true;
  readonly once?: boolean;
  readonly protect?: boolean;
  readonly visibility?: "unlisted" | "public";
  readonly retention?: "ttl" | "forever";
  readonly direct?: boolean;
  readonly notify?: boolean | null;
  readonly immutable?: boolean;
  readonly handoffMessage?: string | null;
  readonly upstreamFileIds?: readonly string[];
}

export const changeSettings = async (fileId: string, change: SettingsChange): Promise<Credentials> =>
  (await ask<{ data: Credentials }>("PATCH", "/files/share-settings", { fileId, ...change })).data;

export interface DownloadEvent {
  readonly id: string;
  readonly created_at: string;
  readonly event_kind: "authorized" | "completed";
  readonly route: string | null;
}

export interface DownloadPage {
  readonly events: readonly DownloadEvent[];
  readonly nextCursor: string | null;
}

export async function loadDownloads(id: string, cursor: string | null): Promise<DownloadPage> {
  const query = new URLSearchParams({ limit: "50", ...(cursor !== null && { cursor }) });
  return await ask<DownloadPage>("GET", `/files/${encodeURIComponent(id)}/download-events?${query}`);
}
