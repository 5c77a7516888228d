import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import { endUsedUp } from "../files/limit-downloads.ts";
import { isLimited, isReady } from "../files/viewable.ts";
import { completePurchaseDownloads } from "../selling/bought-downloads.ts";
import { type FoundShare, findShare } from "../shares/queries.ts";
import { isOpenToOwner } from "../shares/share-state.ts";
import { decodeSelection } from "./archive-selection.ts";
import { type ArchiveParameters, readArchiveParameters, verifyArchiveUrl } from "./authorize-archive.ts";
import { insertDownloadEvents, recordDownloaded } from "./count-downloads.ts";
import { isGrantOpen } from "./download-rules.ts";
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
  /** The recorder of sent bytes; undefined if nobody can query them. */
  readonly tracker: ArchiveTracker | undefined;
}

/** The sent bytes of one file. */
export interface SentFile {
  /** Number of bytes that were written to the socket. */
  readonly bytes: number;
  /** Whether the socket has accepted the last byte. */
  readonly isComplete: boolean;
}

/** The transfers by the ID of the file. A file that the response did not reach is absent. */
export type SentFiles = ReadonlyMap<string, SentFile>;

/** Records the sent bytes of an archive. */
export interface ArchiveTracker {
  /** Called once, when the response has ended. `isComplete`: the whole response was sent. */
  record(sentFiles: SentFiles, isComplete: boolean): Promise<void>;
}

/**
 * Opens the signed URL of an archive with the clean files that its share had at issue, or the chosen ones. A limited share allows one transfer at a
 * time, of files that were not yet sent whole; a HEAD uses nothing. Throws SIGNATURE_INVALID or NOT_FOUND.
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

/** Returns whether a file is stored, clean and was counted when the URL was issued. A limited file may have been used up since. */
function isIncluded(file: ArchivableFile, share: FoundShare, { issuedAtMs }: ArchiveParameters): boolean {
  // A file that became clean after the issue was not counted. For a limited share, the grants decide instead.
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
  // Waits for the record of the previous transfer, because a client may retry before its end is recorded.
  await ctx.downloads.whenFlushed(archiveId);
  const use = { nowMs: ctx.now(), isBought: purchaseId !== "" };
  if (isHead) return { share, files: (await getRemaining(ctx.db, archiveId, listed, use)).files, tracker: undefined };
  const { files, grants } = await ctx.transaction(async (ctx) => {
    const remaining = await getRemaining(ctx.db, archiveId, listed, use);
    await acquireGrants(ctx.db, archiveId, remaining.files);
    return remaining;
  });
  return { share, files, tracker: trackLimited(ctx, call, { archiveId, purchaseId, files, grants }) };
}

interface RemainingFiles {
  readonly files: readonly ArchivableFile[];
  /** The grants by the ID of the file. */
  readonly grants: ReadonlyMap<string, ArchiveGrant>;
}

/** Returns the files whose grants have enough bytes left for the whole file. Throws NOT_FOUND if there are none. */
async function getRemaining(db: Db, archiveId: string, listed: readonly ArchivableFile[], use: GrantUse): Promise<RemainingFiles> {
  const grants = new Map((await listOpenGrants(db, archiveId, use)).map((grant) => [grant.fileId, grant]));
  const files = listed.filter((file) => (grants.get(file.id)?.budgetBytes ?? -1) >= file.size_bytes);
  if (files.length === 0) throw nothingLeft();
  return { files, grants };
}

/** Tracks an archive of files with an owner: records `file.downloaded` for each file if the whole response was sent. */
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
  readonly archiveId: string;
  /** The purchase; empty without one. */
  readonly purchaseId: string;
}

/**
 * Tracks a limited archive whose grants are acquired: completes the grants of files that were sent whole, and releases the others with their
 * remaining bytes. After a crash of the process the grants remain acquired until the buyer gets a new URL.
 */
function trackLimited(ctx: Ctx, call: RequestContext, { archiveId, purchaseId, files, grants }: AcquiredArchive): ArchiveTracker {
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
        if (purchaseId !== "") await completePurchaseDownloads(ctx.db, purchaseId, downloadedIds);
        await endUsedUp(ctx, downloadedIds);
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

/** Number of files that are recorded in one transaction. */
const BATCH_SIZE = 1000;
