import type { PreviewElement } from "../../src/contract/preview-element.ts";
import type { ShareSale } from "../selling/sale-view.ts";
import type { FileStatusColumns } from "../site/file-status.ts";
import { type FileListing, type ListRequest, toListQuery } from "./file-listing.ts";

export interface ShareFile extends FileStatusColumns {
  readonly id: string;
  readonly name: string;
  /** Path in the shipment, with the name; null without a folder. */
  readonly relativePath?: string | null;
  /** Null during an upload of unknown length. */
  readonly sizeBytes: number | null;
  readonly contentType: string | null;
  /** Hexadecimal; null until known. */
  readonly sha256: string | null;
  /** Remaining downloads; null without a limit. */
  readonly downloadsLeft: number | null;
  readonly createdAtMs?: number;
  /** Bytes that have arrived of a file that is uploading in parts. */
  readonly receivedBytes?: number | null;
  /** Whether a recipient who may see the files can open a preview of it. */
  readonly hasPreview?: boolean;
  /** Null without a thumbnail, and while the share is locked or a download has to wait. */
  readonly thumbnailUrl: string | null;
  /** The size of the thumbnail in pixels; null without one. */
  readonly thumbnailWidth: number | null;
  readonly thumbnailHeight: number | null;
}

/** The recipient's access to a share. */
export type ShareAccess =
  | { readonly kind: "open" }
  /** The page asks for the code. `problem` describes the last try; codes are accepted again at `retryAtMs`. */
  | { readonly kind: "locked"; readonly problem?: string; readonly retryAtMs?: number; readonly work?: UnlockWork }
  /** The page's forms send the token. */
  | { readonly kind: "unlocked"; readonly field: "unlockToken" | "handoffToken"; readonly token: string };

/** The proof of work required with the next code. */
export interface UnlockWork {
  readonly challengeId: string;
  /** Leading zero bits of SHA-256 of `challengeId:nonce`. */
  readonly difficulty: number;
}

/** The wait before a download. */
export interface ShareWait {
  /** Identifies the wait; the page's forms and URLs have it as `ready`. */
  readonly token: string;
  /** Remaining seconds; 0 when the wait has ended. */
  readonly seconds: number;
}

/** The preview of a file on a share's page. */
export interface FilePreview {
  readonly fileId: string;
  readonly name: string;
  /** The element that shows `url`; `pdf` and `document` are frames. */
  readonly element: PreviewElement;
  readonly url: string;
  /** The request whose response has a new URL: this one expires. */
  readonly renewal: PreviewForm;
  /** A text or list of a few lines has a lower frame. */
  readonly height: "line" | "lines" | "short" | "full";
}

export interface SharePageProps {
  readonly shortId: string;
  /** The URL of the share, for other devices and programs. */
  readonly shareUrl: string;
  readonly kind: "file" | "shipment";
  /** The sender's title. */
  readonly title?: string | null;
  /** The sender's message: plain text. */
  readonly message?: string | null;
  /** Milliseconds since 1970; null where the share never expires. */
  readonly expiresAtMs: number | null;
  /** During an upload, in place of `expiresAtMs`: the time from the end of the upload to the expiry. */
  readonly expiresAfterMs?: number;
  readonly nowMs: number;
  /** Each file can be downloaded only once. */
  readonly once: boolean;
  readonly access: ShareAccess;
  /** Whether this server's sponsor is shown. */
  readonly sponsored?: boolean;
  /** Undefined without a wait. */
  readonly wait?: ShareWait;
  /** Preview of the only file, or of the file of a shipment that the recipient has chosen. */
  readonly preview?: FilePreview | undefined;
  /** The sale of a share that has a price or was bought. */
  readonly sale?: ShareSale | undefined;
  /** All files: none of an empty shipment. */
  readonly files: readonly ShareFile[];
  /** The files that the page lists. */
  readonly listing: FileListing<ShareFile>;
}

type ShareAction = "" | "/buy" | "/download" | "/archive" | "/unlock" | "/preview";

/** The path of a share's page, or of one of its forms. */
export const sharePath = ({ shortId }: Pick<SharePageProps, "shortId">, action: ShareAction = ""): string =>
  `/d/${encodeURIComponent(shortId)}${action}`;

/** A form that shows the page with the preview of a file. */
export interface PreviewForm {
  readonly method: "get" | "post";
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The form that shows the page with the preview of a file: by URL, except where only a form can have the token of an unlocked share. */
export function previewForm({ shortId, access, wait }: Pick<SharePageProps, "shortId" | "access" | "wait">, fileId: string): PreviewForm {
  const ready: Readonly<Record<string, string>> = wait === undefined ? {} : { ready: wait.token };
  if (access.kind === "unlocked" && access.field === "unlockToken")
    return { method: "post", action: sharePath({ shortId }, "/preview"), fields: { fileId, [access.field]: access.token, ...ready } };
  const action = access.kind === "unlocked" ? `/h/${encodeURIComponent(access.token)}` : sharePath({ shortId });
  return { method: "get", action, fields: { file: fileId, ...ready } };
}

/** The URL that shows a part of the list; undefined if a code unlocked the page. */
export function listUrl({ shortId, access, wait }: SharePageProps, request: ListRequest): string | undefined {
  if (!isReachableByUrl(access)) return undefined;
  const path = access.kind === "unlocked" ? `/h/${encodeURIComponent(access.token)}` : sharePath({ shortId });
  const query = [toListQuery(request), wait === undefined ? "" : `ready=${encodeURIComponent(wait.token)}`].filter((part) => part !== "");
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** The URL that refreshes a page with a wait or another part of the list; undefined if that is its own URL, or if a code unlocked it. */
export function refreshUrl(share: SharePageProps): string | undefined {
  return share.wait === undefined && toListQuery(share.listing) === "" ? undefined : listUrl(share, share.listing);
}

/** Whether the URL alone shows the page: not if a code has unlocked it. */
export const isReachableByUrl = (access: ShareAccess): boolean => access.kind !== "unlocked" || access.field === "handoffToken";

/** Whether only the wait prevents a download. */
export const mustWaitForSponsor = ({ access, wait }: SharePageProps): boolean =>
  access.kind !== "locked" && wait !== undefined && wait.seconds > 0;

/** Whether the page looks like that of one file. */
export const isOneFile = ({ files }: Pick<SharePageProps, "files">): boolean => files.length === 1;
