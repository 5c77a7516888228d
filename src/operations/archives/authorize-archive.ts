import type { Ctx } from "../../context.ts";
import type { FileRow, ShareRow } from "../../db/schema.ts";
import { findShareBehind, listShareFiles } from "../../db/shares.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { DOWNLOAD_URL_MS } from "../downloads/authorize-download.ts";
import { checkAvailable, checkPaid, checkReady } from "../downloads/check-downloadable.ts";
import { countDownloads, isLimited } from "../downloads/count-download.ts";
import type { Operation } from "../operation.ts";
import { checkUnlocked, unlockInvalid } from "../protection/check-unlocked.ts";
import { isOpen } from "../shares/is-open.ts";
import { shareNotFound } from "../shares/share-not-found.ts";
import { signArchiveUrl } from "./archive-url.ts";

/** `GET /files/share/{shortId}/archive`: counts a download of each clean file and answers the signed address of one ZIP of them. */
export const authorizeArchive: Operation<"authorizeArchive"> = async (ctx, call, { shortId, ...credentials }) => {
  const { share, files } = await getAvailable(ctx, shortId);
  await checkUnlocked(ctx, call, share, credentials);
  for (const file of files) checkPaid(call.actor, file, share);
  onlyReady(files);
  const url = await ctx.tx(async (ctx) => {
    const now = await getAvailable(ctx, shortId);
    if (now.share.generation !== share.generation) throw unlockInvalid();
    const issuedAtMs = ctx.now();
    const untilMs = Math.min(issuedAtMs + DOWNLOAD_URL_MS, now.share.expires_at ?? Number.POSITIVE_INFINITY);
    const grantId = isLimited(now.share) ? newUuid(ctx.random, issuedAtMs) : "";
    const toCount = (file: FileRow) => ({ file, share: now.share, grantId: archiveGrantId(grantId, file.id), untilMs });
    if (!(await countDownloads(ctx, call, onlyReady(now.files).map(toCount)))) throw shareNotFound();
    return signArchiveUrl(ctx, now.share, { issuedAtMs, untilMs, grantId });
  });
  return { success: true, url, data: { url } };
};

/** Names the grant of one file of a limited archive. */
export const archiveGrantId = (grantId: string, fileId: string): string => `${grantId}-${fileId}`;

/** The files of an open share that are not blocked; where all are, throws as a download of the first one would. */
async function getAvailable(ctx: Pick<Ctx, "db" | "now">, shortId: string): Promise<{ share: ShareRow; files: readonly FileRow[] }> {
  const share = await findShareBehind(ctx.db, shortId);
  if (!share || !isOpen(ctx, share)) throw shareNotFound();
  const active = (await listShareFiles(ctx.db, share.short_id)).filter((file) => file.status === "active");
  const files = active.filter((file) => file.scan_status !== "unavailable");
  if (files.length > 0) return { share, files };
  const [blocked] = active;
  if (blocked) checkAvailable(ctx, blocked, share);
  throw shareNotFound();
}

/** Those that are there and clean; where none is yet, throws SCAN_PENDING. */
function onlyReady(files: readonly FileRow[]): readonly FileRow[] {
  const ready = files.filter((file) => file.scan_status === "clean" && file.blob_state === "stored");
  const [waiting] = files;
  if (ready.length === 0 && waiting) checkReady(waiting);
  return ready;
}
