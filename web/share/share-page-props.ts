import type { PreviewElement } from "../../src/contract/preview-element.ts";
import type { ShareSale } from "../selling/sale-view.ts";
import type { FileStatusColumns } from "../site/file-status.ts";
import type { FileListing } from "./file-listing.ts";

export interface ShareFile extends FileStatusColumns {
  readonly id: string;
  readonly name: string;
  /** The path in the shipment, including the name; null without a folder. */
  readonly relativePath?: string | null;
  /** The size; null during an upload of unknown length. */
  readonly sizeBytes: number | null;
  readonly contentType: string | null;
  /** Hexadecimal; null until the digest is known. */
  readonly sha256: string | null;
  /** The number of remaining downloads; null without a limit. */
  readonly downloadsLeft: number | null;
  readonly createdAtMs?: number;
  /** The bytes that have arrived of a file that is being uploaded in parts. */
  readonly receivedBytes?: number | null;
  /** Whether a recipient who may see the files can open a preview of it. */
  readonly hasPreview?: boolean;
  /** The signed path of the bytes of an encrypted file that the page may decrypt for a preview. */
  readonly encryptedUrl?: string | undefined;
  /** The URL; null without a thumbnail, and while the share is locked or a download has to wait. */
  readonly thumbnailUrl: string | null;
  /** The size of the thumbnail in pixels; null without one. */
  readonly thumbnailWidth: number | null;
  readonly thumbnailHeight: number | null;
  /** Whether the thumbnail is being made. */
  readonly awaitsThumbnail?: boolean;
}

export interface LockedAccess {
  readonly kind: "locked";
  /** Whether the share opens with a password of its sender, in place of a code. */
  readonly isPassword?: boolean;
  /** The result of the last try. */
  readonly problem?: string;
  /** The time from which new codes are accepted. */
  readonly retryAtMs?: number;
  readonly work?: UnlockWork;
}

/** The recipient's access to a share. */
export type ShareAccess =
  | { readonly kind: "open" }
  /** The page asks for the code or the password. */
  | LockedAccess
  /** The page's forms send the token. */
  | {
      readonly kind: "unlocked";
      readonly isPassword?: boolean;
      readonly field: "unlockToken" | "handoffToken";
      readonly token: string;
    };

/** The proof of work that is required with the next code. */
export interface UnlockWork {
  readonly challengeId: string;
  /** The number of leading zero bits of SHA-256 of `challengeId:nonce`. */
  readonly difficulty: number;
}

/** The wait before a download. */
export interface ShareWait {
  /** The token of the wait; the page's forms and URLs contain it as `ready`. */
  readonly token: string;
  /** The remaining seconds; 0 when the wait has ended. */
  readonly seconds: number;
}

export interface PreviewImage {
  /** The size in pixels; null if it is unknown. */
  readonly width: number | null;
  readonly height: number | null;
  /** A blurred image, as a `data:` URL; null without one. */
  readonly placeholder: string | null;
  /** The URL of the original, if a reduced image replaces it; null otherwise. */
  readonly originalUrl: string | null;
  /** The width of the original in pixels; null or undefined if it is unknown. */
  readonly originalWidth?: number | null;
}

/** The preview of a file on a share's page. */
export interface FilePreview {
  readonly fileId: string;
  readonly name: string;
  /** The element that shows `url`; `pdf` and `document` are frames. */
  readonly element: PreviewElement;
  readonly url: string;
  /** What is known of an image before it has loaded. */
  readonly image: PreviewImage;
  /** The request whose response has a new URL, because this one expires. */
  readonly renewal: PreviewForm;
  /** The text of a short text file, which a button copies; null for other files. */
  readonly text: string | null;
  /** The height in pixels in which a document needs no scrolling; null if it is unknown or high. */
  readonly heightPx: number | null;
  /** How the frame shows a text: as it is, line by line, as prose in the font of the page, or as a table; null if in another way, or unknown. */
  readonly layout: "plain" | "prose" | "table" | null;
}

export interface SharePageProps {
  readonly shortId: string;
  /** The URL of the share, for other devices and programs. */
  readonly shareUrl: string;
  readonly kind: "file" | "shipment";
  /** What the owner, who looks at the page, can do: `growable`: also add files; null for everybody else, and for a received submission. */
  readonly own: "growable" | "fixed" | null;
  /** The name that the account of the share shows to recipients. */
  readonly senderName?: string | null;
  /** The sender's title. */
  readonly title?: string | null;
  /** The sender's message, in plain text. */
  readonly message?: string | null;
  /** Milliseconds since 1970; null if the share never expires. */
  readonly expiresAtMs: number | null;
  /** The time from the end of the upload to the expiry, during an upload, in place of `expiresAtMs`. */
  readonly expiresAfterMs?: number;
  readonly nowMs: number;
  /** Whether each file can be downloaded only once. */
  readonly once: boolean;
  readonly access: ShareAccess;
  /** The path to which the script reports that a recipient has opened their private link; null or undefined on other pages. */
  readonly openedPath?: string | null;
  /** Whether this server's sponsor is shown. */
  readonly sponsored?: boolean;
  /** The wait before a download; undefined without one. */
  readonly wait?: ShareWait;
  /** The preview of the only file, or of the file in a shipment that the recipient has chosen. */
  readonly preview?: FilePreview | undefined;
  /** The sale of a share that has a price or was bought. */
  readonly sale?: ShareSale | undefined;
  /** All files; empty for an empty shipment. */
  readonly files: readonly ShareFile[];
  /** The files that the page lists. */
  readonly listing: FileListing<ShareFile>;
}

/** A form that shows the page with the preview of a file. */
export interface PreviewForm {
  readonly method: "get" | "post";
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Returns the attribute of `<main>` by which the script shows the sender's bar to the owner. */
export const toOwnData = ({ own }: Pick<SharePageProps, "own">): { readonly "data-own"?: string } =>
  own === null ? {} : { "data-own": own };

/** Whether only the wait prevents a download. */
export const mustWaitForSponsor = ({ access, wait }: SharePageProps): boolean =>
  access.kind !== "locked" && wait !== undefined && wait.seconds > 0;

/**
 * Whether the page is that of one file, with its name and type. The page of a locked shipment shows neither, so it is not, however many files there
 * are (pages, "A protected share does not show what it contains").
 */
export const isOneFile = ({ files, kind, access }: Pick<SharePageProps, "files" | "kind" | "access">): boolean =>
  files.length === 1 && (kind === "file" || access.kind !== "locked");
