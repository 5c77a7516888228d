import type { Call, Ctx } from "../../context.ts";
import { archiveGrantId } from "../../db/archive-grants.ts";
import { type ArchivableFile, listArchivable } from "../../db/deliveries.ts";
import { type FoundShare, findShare, findShareBehind } from "../../db/shares.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { AppError } from "../../errors.ts";
import { DOWNLOAD_URL_MS } from "../downloads/authorize-download.ts";
import { checkAvailable, checkPaid, checkReady } from "../downloads/check-downloadable.ts";
import { countDownloads, isLimited } from "../downloads/count-download.ts";
import type { Operation } from "../operation.ts";
import { checkUnlocked, unlockInvalid } from "../protection/check-unlocked.ts";
import { isOpen } from "../shares/is-open.ts";
import { shareNotFound } from "../shares/share-not-found.ts";
import { signArchiveUrl } from "./archive-url.ts";

/** So many files of an archive count as one request against the general rate. */
const FILES_A_REQUEST = 100;
/** How often the files may change between being listed and being counted; each time somebody else got on. */
const ATTEMPTS = 10;

/** `GET /files/share/{shortId}/archive`: counts a download of each clean file and answers the signed address of one ZIP of them. */
export const authorizeArchive: Operation<"authorizeArchive"> = async (ctx, call, { shortId, ...credentials }) => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const issuedAtMs = ctx.now();
    const { share, files } = await getAvailable(ctx, shortId);
    await checkUnlocked(ctx, call, share, credentials);
    for (const file of files) checkPaid(call.actor, file, share);
    const ready = onlyReady(files);
    if (attempt === 1) call.countRequests?.(Math.ceil(ready.length / FILES_A_REQUEST));
    const url = await countAndSign(ctx, call, { share, files: ready, issuedAtMs });
    if (url !== undefined) return { success: true, url };
  }
  throw new AppError("UNAVAILABLE", "The files of this share change all the time just now. Please try again in a moment.");
};

interface CheckedArchive {
  readonly share: FoundShare;
  readonly files: readonly ArchivableFile[];
  readonly issuedAtMs: number;
}

/** Undefined where a file was used up, or has ended, since it was listed: then nothing has been counted. */
async function countAndSign(ctx: Ctx, call: Call, { share, files, issuedAtMs }: CheckedArchive): Promise<string | undefined> {
  try {
    return await ctx.tx(async (ctx) => {
      const now = await findShare(ctx.db, share.short_id);
      if (!now || !isOpen(ctx, now)) throw shareNotFound();
      if (now.generation !== share.generation) throw unlockInvalid();
      const untilMs = Math.min(issuedAtMs + DOWNLOAD_URL_MS, now.expires_at ?? Number.POSITIVE_INFINITY);
      const archiveId = isLimited(now) ? newUuid(ctx.random, issuedAtMs) : "";
      const grantId = (fileId: string): string => archiveGrantId(archiveId, fileId);
      const isCounted = await countDownloads(ctx, call, files, { share: now, grantId, untilMs });
      if (!isCounted) throw new FilesChanged();
      return signArchiveUrl(ctx, now, { issuedAtMs, untilMs, grantId: archiveId });
    });
  } catch (error) {
    if (error instanceof FilesChanged) return undefined;
    throw error;
  }
}

/** Undoes the transaction. */
class FilesChanged extends Error {
  override readonly name = "FilesChanged";
}

/** The files of an open share that are not blocked; where all are, throws as a download of the first one would. */
async function getAvailable(ctx: Ctx, shortId: string): Promise<{ share: FoundShare; files: readonly ArchivableFile[] }> {
  const share = await findShareBehind(ctx.db, shortId);
  if (!share || !isOpen(ctx, share)) throw shareNotFound();
  const active = (await listArchivable(ctx.db, share.short_id)).filter((file) => file.status === "active");
  const files = active.filter((file) => file.scan_status !== "unavailable");
  if (files.length > 0) return { share, files };
  const [blocked] = active;
  if (blocked) checkAvailable(ctx, blocked, share);
  throw shareNotFound();
}

/** Those that are there and clean; where none is yet, throws SCAN_PENDING. */
function onlyReady(files: readonly ArchivableFile[]): readonly ArchivableFile[] {
  const ready = files.filter((file) => file.scan_status === "clean" && file.blob_state === "stored");
  const [waiting] = files;
  if (ready.length === 0 && waiting) checkReady(waiting);
  return ready;
}
