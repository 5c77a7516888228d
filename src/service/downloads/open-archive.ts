import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import { isLimited, isReady } from "../files/viewable.ts";
import { completePurchased } from "../selling/sales.ts";
import { type FoundShare, findShare } from "../shares/queries.ts";
import { isOpenToOwner } from "../shares/share-state.ts";
import { decodeSelection } from "./archive-selection.ts";
import { type ArchiveParameters, readArchiveParameters, verifyArchiveUrl } from "./authorize-archive.ts";
import { insertDownloadEvents, recordDownloaded } from "./count-downloads.ts";
import { isGrantOpen } from "./download-rules.ts";
import { endUsedUp } from "./end-used-up.ts";
import { isStillPaid } from "./paid.ts";
import {
  type ArchivableFile,
  type ArchiveGrant,
  acquireGrants,
  type GrantUse,
  listArchivable,
  listOpenGrants,
  releaseGrants,
} from "./queries.ts";

export interface Archive {
  readonly share: FoundShare;
  readonly files: readonly ArchivableFile[];
  /** Records what was sent; undefined if nobody can query it. */
  readonly tracker: ArchiveTracker | undefined;
}

/** What was sent of one file. */
export interface SentFile {
  /** Bytes that were written to the socket. */
  readonly bytes: number;
  /** Whether the socket has accepted the last byte. */
  readonly isComplete: boolean;
}

/** The sent files by their IDs, without the files that the download did not reach. */
export type SentFiles = ReadonlyMap<string, SentFile>;

/** Records what was sent of an archive. */
export interface ArchiveTracker {
  /** Called once, when the response has ended. `isComplete`: the whole response was sent. */
  record(sentFiles: SentFiles, isComplete: boolean): Promise<void>;
}

/**
 * Opens the signed URL of an archive: the clean files that its share had when the URL was issued, or the chosen ones. A limited share
 * allows one download at a time, of the files that no earlier one has sent whole; a HEAD uses nothing. Throws SIGNATURE_INVALID or
 * NOT_FOUND.
 */
export async function openArchive(
  ctx: Ctx,
  call: RequestContext,
  { shortId, query, isHead }: { shortId: string; query: URLSearchParams; isHead: boolean },
): Promise<Archive> {
  const parameters = readArchiveParameters(query);
  const share = await findShare(ctx.db, shortId);
  if (!parameters) throw signatureInvalid();
  const expiresAtMs = verifyArchiveUrl(ctx, { shortId, credentialsVersion: share?.credentials_version ?? 0 }, parameters);
  if (expiresAtMs === undefined || ctx.now() >= expiresAtMs) throw signatureInvalid();
  if (!share || !(isLimited(share) ? isGrantOpen(ctx, share) : isOpenToOwner(ctx, share))) throw nothingLeft();
  if (!(await isStillPaid(ctx.db, parameters.purchaseId))) throw signatureInvalid();
  const files = await listArchivable(ctx.db, shortId);
  const { selection, issuedAtMs } = parameters;
  const chosen = selection === "" ? undefined : decodeSelection(files, selection, issuedAtMs);
  const listed = files.filter((file) => isIncluded(file, share, parameters) && (chosen?.has(file.id) ?? true));
  if (isLimited(share)) return await openLimited(ctx, call, { share, listed, parameters, isHead });
  if (listed.length === 0) throw nothingLeft();
  return { share, files: listed, tracker: isHead || share.owner_id === null ? undefined : trackOwned(ctx, call, listed) };
}

const signatureInvalid = (): AppError =>
  new AppError("SIGNATURE_INVALID", "This download URL is not valid or has expired. Open the share link again to get a new one.");

const nothingLeft = (): AppError =>
  new AppError(
    "NOT_FOUND",
    "No file is left to download: they were deleted, used up, or are being downloaded. Open the share link to see which.",
  );

/** Whether a file is stored, clean and was counted when the URL was issued. A limited file may have been used up since, even by this download. */
function isIncluded(file: ArchivableFile, share: FoundShare, { issuedAtMs }: ArchiveParameters): boolean {
  // A file that became clean later was not counted. The grants of a limited share say the same.
  const wasCounted = isLimited(share) || (file.scanned_at ?? 0) <= issuedAtMs;
  const isUsedUp = isLimited(share) && file.status === "expired" && file.ended_at !== null && file.ended_at >= issuedAtMs;
  return isReady(file) && file.created_at <= issuedAtMs && wasCounted && (file.status === "active" || isUsedUp);
}

interface LimitedArchive {
  readonly share: FoundShare;
  readonly listed: readonly ArchivableFile[];
  readonly parameters: ArchiveParameters;
  readonly isHead: boolean;
}

async function openLimited(ctx: Ctx, call: RequestContext, { share, listed, parameters, isHead }: LimitedArchive): Promise<Archive> {
  const { archiveId, purchaseId } = parameters;
  // The client has the response a moment before its end is recorded, and may retry immediately.
  await ctx.downloads.whenFlushed(archiveId);
  const use = { nowMs: ctx.now(), isBought: purchaseId !== "" };
  if (isHead) return { share, files: (await getRemaining(ctx.db, archiveId, listed, use)).files, tracker: undefined };
  const { files, grants } = await ctx.transaction(async (ctx) => {
    const remaining = await getRemaining(ctx.db, archiveId, listed, use);
    await acquireGrants(ctx.db, archiveId, remaining.files);
    return remaining;
  });
  return { share, files, tracker: trackLimited(ctx, call, { shortId: share.short_id, archiveId, purchaseId, files, grants }) };
}

interface RemainingFiles {
  readonly files: readonly ArchivableFile[];
  /** By the ID of the file. */
  readonly grants: ReadonlyMap<string, ArchiveGrant>;
}

/** The files whose grants have enough bytes left to send them whole. Throws NOT_FOUND for none. */
async function getRemaining(db: Db, archiveId: string, listed: readonly ArchivableFile[], use: GrantUse): Promise<RemainingFiles> {
  const grants = new Map((await listOpenGrants(db, archiveId, use)).map((grant) => [grant.fileId, grant]));
  const files = listed.filter((file) => (grants.get(file.id)?.budgetBytes ?? -1) >= file.size_bytes);
  if (files.length === 0) throw nothingLeft();
  return { files, grants };
}

/** Tracks an archive whose files have an owner: `file.downloaded` for each file if the whole response was sent. */
function trackOwned(ctx: Ctx, call: RequestContext, files: readonly ArchivableFile[]): ArchiveTracker {
  return {
    async record(sentFiles, isComplete) {
      if (!isComplete) return;
      const downloaded = files.filter((file) => hasAllBytes(file, sentFiles.get(file.id)));
      for await (const batch of inBatches(downloaded, BATCH_SIZE)) {
        await recordDownloaded(ctx, call, batch);
      }
    },
  };
}

interface AcquiredArchive extends RemainingFiles {
  readonly shortId: string;
  readonly archiveId: string;
  /** Empty without a purchase. */
  readonly purchaseId: string;
}

/**
 * Tracks a limited archive whose grants are acquired. Completes the grants of files that were sent whole and releases the others, less what
 * was sent. If the process dies first, the grants stay acquired, until a buyer gets theirs signed again.
 */
function trackLimited(ctx: Ctx, call: RequestContext, { shortId, archiveId, purchaseId, files, grants }: AcquiredArchive): ArchiveTracker {
  const markRecorded = ctx.downloads.addPendingRecord(archiveId);
  return {
    async record(sentFiles, isComplete) {
      const isDownloaded = (file: ArchivableFile): boolean => {
        const sent = sentFiles.get(file.id);
        return sent?.isComplete === true || (isComplete && hasAllBytes(file, sent));
      };
      const recordBatch = async (ctx: TransactionCtx, batch: readonly ArchivableFile[]): Promise<void> => {
        const toReleased = (file: ArchivableFile) => ({
          fileId: file.id,
          refundBytes: Math.max(0, file.size_bytes - (sentFiles.get(file.id)?.bytes ?? 0)),
          completedAtMs: isDownloaded(file) ? ctx.now() : null,
        });
        await releaseGrants(ctx.db, archiveId, batch.map(toReleased));
        const downloaded = batch.filter((file) => isDownloaded(file) && grants.get(file.id)?.completedAtMs === null);
        await insertDownloadEvents(ctx, call, "file.downloaded", downloaded);
        const downloadedIds = downloaded.map(({ id }) => id);
        if (purchaseId !== "") await completePurchased(ctx.db, purchaseId, downloadedIds);
        await endUsedUp(ctx, shortId, downloadedIds);
      };
      try {
        for await (const batch of inBatches(files, BATCH_SIZE)) await ctx.transaction((ctx) => recordBatch(ctx, batch));
      } finally {
        markRecorded();
      }
    },
  };
}

const hasAllBytes = (file: ArchivableFile, sent: SentFile | undefined): boolean => sent?.bytes === file.size_bytes;

/** Files that are recorded in one transaction. */
const BATCH_SIZE = 1000;
