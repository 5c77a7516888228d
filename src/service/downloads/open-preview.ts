import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { checkSigned, fileNotFound } from "./download-rules.ts";
import type { PreviewKind } from "./preview-kind.ts";
import { findPreviewKind } from "./preview-rules.ts";
import { isPreviewUrlValid } from "./preview-url.ts";
import { type DownloadableFile, findDownloadable } from "./queries.ts";

/** A file that a browser can preview. */
export interface Preview {
  readonly file: DownloadableFile;
  readonly kind: PreviewKind;
}

/**
 * Opens the signed URL of a preview (previews, "Signed URLs"). Counts nothing. Throws SIGNATURE_INVALID if this server did not issue it or it
 * has expired; NOT_FOUND or SCAN_BLOCKED if the file has ended or has no preview any more.
 */
export async function openPreview(ctx: Ctx, { fileId, query }: { fileId: string; query: URLSearchParams }): Promise<Preview> {
  const found = await findDownloadable(ctx.db, fileId);
  if (!found || !isPreviewUrlValid(ctx, found, query))
    throw new AppError("SIGNATURE_INVALID", "This preview URL is not valid or has expired. Open the share link again.");
  const { file, share } = found;
  checkSigned(ctx, file, share);
  const kind = findPreviewKind(found);
  if (kind === undefined) throw fileNotFound();
  return { file, kind };
}
