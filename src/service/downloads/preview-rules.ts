import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { isReady } from "../files/ready.ts";
import { isLimited } from "../shares/share-state.ts";
import { isShownByBrowsers, type PreviewKind, toPreviewKind } from "./preview-kind.ts";
import { signPreviewUrls } from "./preview-url.ts";
import type { DownloadableFile, SharePolicy } from "./queries.ts";

export interface Previewable {
  readonly file: Pick<DownloadableFile, "id" | "name" | "content_type" | "status" | "scan_status" | "blob_state" | "reduced_bytes">;
  readonly share: Pick<SharePolicy, "max_downloads" | "price_cents" | "expires_at" | "credentials_version">;
}

/** Returns whether the files of a share may have previews: it has neither a download limit nor a price. */
export const allowsPreviews = (share: Pick<SharePolicy, "max_downloads" | "price_cents">): boolean =>
  !isLimited(share) && share.price_cents === null;

/**
 * Returns the preview kind of a clean file in a share without a download limit or a price; undefined otherwise (previews, "Which files have one").
 * The caller checks that the share is open and the recipient may see it.
 */
export function findPreviewKind({ file, share }: Previewable): PreviewKind | undefined {
  if (!allowsPreviews(share) || file.status !== "active" || !isReady(file)) return undefined;
  const isShown = file.reduced_bytes !== null || isShownByBrowsers(file.content_type);
  return isShown ? toPreviewKind(file.content_type, file.name) : undefined;
}

/** Whether the page may decrypt a file for a preview: it is encrypted and clean, in a share without a download limit or a price. */
export const isDecryptable = ({
  file,
  share,
}: {
  readonly file: Pick<DownloadableFile, "status" | "scan_status" | "blob_state" | "is_encrypted">;
  readonly share: Pick<SharePolicy, "max_downloads" | "price_cents">;
}): boolean => file.is_encrypted === 1 && allowsPreviews(share) && file.status === "active" && isReady(file);

/** The state of a recipient of an open share. */
interface Recipient {
  /** Whether the share needs no code, or the recipient has one. */
  readonly isUnlocked: boolean;
  /** Whether the wait before downloads has passed. */
  readonly hasWaited: boolean;
}

export interface OfferedPreview {
  readonly kind: PreviewKind;
  /** The URL of what the page shows: the bytes, a reduced image, or a document. */
  readonly url: string;
  /** The URL of the original, if `url` has a reduced image and browsers show the original. */
  readonly originalUrl: string | null;
  /** The size in which the page shows an image, in pixels; null if it is unknown. */
  readonly width: number | null;
  readonly height: number | null;
}

/** The longer side of a reduced image, in pixels. */
const REDUCED_SIDE = 1600;

/** Returns the preview of a file of an open share, for a recipient; undefined if there is none. */
export function offerPreview(
  ctx: Pick<Ctx, "urls" | "keyring" | "now">,
  previewable: Previewable & { readonly file: Pick<FileRow, "image_width" | "image_height"> },
  { isUnlocked, hasWaited }: Recipient,
): OfferedPreview | undefined {
  const kind = isUnlocked && hasWaited ? findPreviewKind(previewable) : undefined;
  if (kind === undefined) return undefined;
  const { bytesUrl, reducedUrl, documentUrl } = signPreviewUrls(ctx, previewable);
  const { file } = previewable;
  const isReduced = kind === "image" && file.reduced_bytes !== null;
  const isShownByElement = kind === "image" || kind === "audio" || kind === "video";
  return {
    kind,
    url: isReduced ? reducedUrl : isShownByElement ? bytesUrl : documentUrl,
    originalUrl: isReduced && isShownByBrowsers(file.content_type) ? bytesUrl : null,
    ...toShownSize(file, isReduced),
  };
}

type ShownSize = Pick<OfferedPreview, "width" | "height">;

function toShownSize({ image_width, image_height }: Pick<FileRow, "image_width" | "image_height">, isReduced: boolean): ShownSize {
  if (image_width === null || image_height === null) return { width: null, height: null };
  const scale = isReduced ? Math.min(1, REDUCED_SIDE / Math.max(image_width, image_height)) : 1;
  const toSide = (side: number): number => Math.max(1, Math.round(side * scale));
  return { width: toSide(image_width), height: toSide(image_height) };
}
