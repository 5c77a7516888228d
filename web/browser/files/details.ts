/** The requests of a file's details. */
import type { FileView, NamedFolder } from "../../files/file-views.ts";
import { ask } from "./requests.ts";

/** A file with its share (listing, "A file"). */
export interface FileDetails extends FileView {
  readonly sha256: string | null;
  readonly downloads: number;
  readonly scanCoverage: "whole" | "windowed" | "none" | null;
  readonly preview: { readonly kind: "image" | "audio" | "video" | "pdf" | "markdown" | "text" | "zip"; readonly url: string } | null;
  readonly share: {
    readonly kind: "file" | "shipment";
    readonly files: number;
    readonly title: string | null;
    readonly message: string | null;
    readonly latestExpiresAt: string;
    readonly maxDownloads: number | null;
    readonly retention: "ttl" | "forever";
    readonly direct: boolean;
  };
  readonly madeFrom: readonly NamedFolder[];
  readonly usedIn: readonly NamedFolder[];
}

export const loadDetails = async (id: string): Promise<FileDetails> =>
  (await ask<{ data: FileDetails }>("GET", `/files/${encodeURIComponent(id)}/details`)).data;

/** A change of the share's settings, or of its file. */
export interface SettingsChange {
  readonly title?: string | null;
  readonly message?: string | null;
  readonly expiresAt?: string;
  readonly maxDownloads?: number | null;
  readonly once?: boolean;
  readonly protect?: boolean;
  readonly visibility?: "unlisted" | "public";
  readonly retention?: "ttl" | "forever";
  readonly direct?: boolean;
  readonly immutable?: boolean;
}

/** The code and the private link, which only this response has. */
export interface Credentials {
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

export const changeSettings = async (fileId: string, change: SettingsChange): Promise<Credentials> =>
  (await ask<{ data: Credentials }>("PATCH", "/files/share-settings", { fileId, ...change })).data;

/** Gives a received file a link. */
export const shareReceived = async (fileId: string): Promise<unknown> => await ask("POST", "/files/share", { fileIds: [fileId] });

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
