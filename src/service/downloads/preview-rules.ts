import type { Ctx } from "../../context.ts";
import { isLimited, isReady } from "../files/viewable.ts";
import { type PreviewKind, toPreviewKind } from "./preview-kind.ts";
import { type PreviewUrls, signPreviewUrls } from "./preview-url.ts";
import type { DownloadableFile, SharePolicy } from "./queries.ts";

export interface Previewable {
  readonly file: Pick<DownloadableFile, "id" | "name" | "content_type" | "status" | "scan_status" | "blob_state">;
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
  return allowsPreviews(share) && file.status === "active" && isReady(file) ? toPreviewKind(file.content_type, file.name) : undefined;
}

/** The state of a recipient of an open share. */
interface Recipient {
  /** Whether the share needs no code, or the recipient has one. */
  readonly isUnlocked: boolean;
  /** Whether the wait before downloads has passed. */
  readonly hasWaited: boolean;
}

export interface OfferedPreview extends PreviewUrls {
  readonly kind: PreviewKind;
}

/** Returns the preview of a file of an open share, for a recipient; undefined if there is none. */
export function offerPreview(
  ctx: Pick<Ctx, "urls" | "keyring" | "now">,
  previewable: Previewable,
  { isUnlocked, hasWaited }: Recipient,
): OfferedPreview | undefined {
  const kind = isUnlocked && hasWaited ? findPreviewKind(previewable) : undefined;
  return kind && { kind, ...signPreviewUrls(ctx, previewable) };
}
