import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { checkSigned, fileNotFound } from "./download-rules.ts";
import type { PreviewKind } from "./preview-kind.ts";
import { findPreviewKind, isDecryptable } from "./preview-rules.ts";
import { isPreviewUrlValid } from "./preview-url.ts";
import { type Downloadable, type DownloadableFile, findDownloadable } from "./queries.ts";

/** A file that a browser can preview. */
export interface Preview {
  readonly file: DownloadableFile;
  readonly kind: PreviewKind;
}

/**
 * Opens the signed URL of a preview (previews, "Signed URLs"). Counts nothing. Throws SIGNATURE_INVALID if this server did not issue it or it
 * has expired; NOT_FOUND or SCAN_BLOCKED if the file has ended or has no preview any more.
 */
export async function openPreview(ctx: Ctx, request: PreviewRequest): Promise<Preview> {
  const found = await findSigned(ctx, request);
  const kind = findPreviewKind(found);
  if (kind === undefined) throw fileNotFound();
  return { file: found.file, kind };
}

/** Opens the signed URL of an encrypted file, which the page previews after it has decrypted it. Counts nothing. Throws as `openPreview` does. */
export async function openEncrypted(ctx: Ctx, request: PreviewRequest): Promise<DownloadableFile> {
  const found = await findSigned(ctx, request);
  if (!isDecryptable(found)) throw fileNotFound();
  return found.file;
}

interface PreviewRequest {
  readonly fileId: string;
  readonly query: URLSearchParams;
}

async function findSigned(ctx: Ctx, { fileId, query }: PreviewRequest): Promise<Downloadable> {
  const found = await findDownloadable(ctx.db, fileId);
  if (!found || !isPreviewUrlValid(ctx, found, query))
    throw new AppError("SIGNATURE_INVALID", "This preview URL is not valid or has expired. Open the share link again.");
  checkSigned(ctx, found.file, found.share);
  return found;
}
