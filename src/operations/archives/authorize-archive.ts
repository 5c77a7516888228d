import type { Ctx } from "../../context.ts";
import type { FileRow, ShareRow } from "../../db/schema.ts";
import { findShare, listShareFiles } from "../../db/shares.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { AppError } from "../../errors.ts";
import { DOWNLOAD_URL_MS } from "../downloads/authorize-download.ts";
import { checkAvailable, checkPaid, checkReady } from "../downloads/check-downloadable.ts";
import { countDownload, isLimited } from "../downloads/count-download.ts";
import type { Operation } from "../operation.ts";
import { checkUnlocked, unlockInvalid } from "../protection/check-unlocked.ts";
import { isOpen } from "../shares/is-open.ts";
import { signArchiveUrl } from "./archive-url.ts";

/** `GET /files/share/{shortId}/archive`: counts a download of each clean file and answers the signed address of one ZIP of them. */
export const authorizeArchive: Operation<"authorizeArchive"> = async (ctx, call, { shortId, ...credentials }) => {
  const { share, files } = await getDownloadable(ctx, shortId);
  await checkUnlocked(ctx, call, share, credentials);
  for (const file of files) checkPaid(call.actor, file, share);
  const url = await ctx.tx(async (ctx) => {
    const now = await getDownloadable(ctx, shortId);
    if (now.share.generation !== share.generation) throw unlockInvalid();
    const issuedAtMs = ctx.now();
    const untilMs = Math.min(issuedAtMs + DOWNLOAD_URL_MS, share.expires_at ?? Number.POSITIVE_INFINITY);
    const grantId = isLimited(share) ? newUuid(ctx.random, issuedAtMs) : "";
    for (const file of now.files) {
      const counted = await countDownload(ctx, call, { file, share: now.share, grantId: archiveGrantId(grantId, file.id), untilMs });
      if (!counted) throw shareNotFound();
    }
    return signArchiveUrl(ctx, now.share, { issuedAtMs, untilMs, grantId });
  });
  return { success: true, url, data: { url } };
};

/** Names the grant of one file of a limited archive. */
export const archiveGrantId = (grantId: string, fileId: string): string => `${grantId}-${fileId}`;

/** The clean files of an open share; where none is clean, throws as a download of the first one that is not would. */
async function getDownloadable(ctx: Pick<Ctx, "db" | "now">, shortId: string): Promise<{ share: ShareRow; files: readonly FileRow[] }> {
  const share = await findShare(ctx.db, shortId);
  if (!share || !isOpen(ctx, share)) throw shareNotFound();
  const active = (await listShareFiles(ctx.db, shortId)).filter((file) => file.status === "active");
  const files = active.filter((file) => file.scan_status === "clean" && file.blob_state === "stored");
  if (files.length > 0) return { share, files };
  const waiting = active.find((file) => file.scan_status !== "unavailable") ?? active[0];
  if (!waiting) throw shareNotFound();
  checkAvailable(ctx, waiting, share);
  checkReady(waiting);
  throw shareNotFound();
}

const shareNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such share, or it has expired. Ask whoever sent you the link for a new one.");
