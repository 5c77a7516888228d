import type { Ctx, RequestContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import type { Span } from "../../lib/http/range.ts";
import { readSignedParameters, type SignedParameters, verifyDownloadUrl } from "../files/signed-url.ts";
import { isLimited } from "../shares/share-state.ts";
import { listSubscribers } from "../webhooks/queries.ts";
import { isStillPaid } from "./check-paid.ts";
import { countDownloads } from "./count-downloads.ts";
import { checkNotBlocked, checkReady, checkSigned, fileNotFound, isGrantOpen } from "./download-rules.ts";
import { type DownloadableFile, findDownloadable, findGrant, isGrantUsable, type SharePolicy } from "./queries.ts";
import { type DownloadTracker, trackGrant, trackOwned } from "./track-download.ts";

/** The bytes of a file that the client requests. */
export interface RequestedBytes {
  readonly span: Span;
  /** Whether the response has no body, so that the request counts nothing. */
  readonly isBodyless: boolean;
}

export interface DownloadRequest<Selected extends RequestedBytes> {
  readonly fileId: string;
  readonly query: URLSearchParams;
  /** Whether a browser prefetches the URL. */
  readonly isPrefetch: boolean;
  /** Selects the bytes to send, after the URL is verified and before anything is counted. `openDownload` rethrows its errors. */
  select(file: DownloadableFile): Selected;
}

/** The bytes to send, and how to record them. */
export interface Download<Selected extends RequestedBytes = RequestedBytes> {
  readonly file: DownloadableFile;
  readonly selection: Selected;
  /** Whether the share allows a limited number of downloads. */
  readonly isLimited: boolean;
  /** The recorder of sent bytes; undefined if nobody can query them, which permits sendfile. */
  readonly tracker: DownloadTracker | undefined;
}

/**
 * Opens a signed URL (downloads, "Signed URLs"; identifiers, "Signed URLs"). Throws SIGNATURE_INVALID if this server did not
 * issue it or it has expired; NOT_FOUND, SCAN_BLOCKED or SCAN_PENDING for the state of the file; FORBIDDEN for a prefetch of a limited file.
 */
export async function openDownload<Selected extends RequestedBytes>(
  ctx: Ctx,
  call: RequestContext,
  request: DownloadRequest<Selected>,
): Promise<Download<Selected>> {
  const parameters = readSignedParameters(request.query);
  if (!parameters) throw signatureInvalid();
  const found = await findDownloadable(ctx.db, request.fileId);
  const expiresAtMs = verifyDownloadUrl(ctx, request.fileId, found?.share.credentials_version ?? 0, parameters);
  if (expiresAtMs === undefined) throw signatureInvalid();
  if (!found) throw fileNotFound();
  if (ctx.now() >= expiresAtMs)
    throw new AppError("SIGNATURE_INVALID", "This download URL has expired. Open the share link again to get a new one.");
  if (!(await isStillPaid(ctx.db, parameters.purchaseId))) throw signatureInvalid();
  const { file, share } = found;
  const selection = request.select(file);
  const { span, isBodyless } = selection;
  if (isLimited(share)) {
    if (request.isPrefetch) throw prefetchRefused();
    const tracker = await openLimited(ctx, call, { file, share, parameters, expiresAtMs, span, isBodyless });
    return { file, selection, isLimited: true, tracker };
  }
  checkState(ctx, file, share);
  const isTracked = file.owner_id !== null && !isBodyless;
  const tracker = isTracked ? trackOwned(ctx, call, { file, downloadId: parameters.signature }) : undefined;
  return { file, selection, isLimited: false, tracker };
}

/** Creates the error for a prefetch that would count as a download. */
export const prefetchRefused = (): AppError =>
  new AppError("FORBIDDEN", "This download is counted, so it cannot be prefetched. Open the link to download the file.");

const signatureInvalid = (): AppError =>
  new AppError("SIGNATURE_INVALID", "This download URL is not valid. Open the share link again to get a new one.");

interface LimitedDownload {
  readonly file: DownloadableFile;
  readonly share: SharePolicy;
  readonly parameters: SignedParameters;
  readonly expiresAtMs: number;
  readonly span: Span;
  readonly isBodyless: boolean;
}

async function openLimited(ctx: Ctx, call: RequestContext, download: LimitedDownload): Promise<DownloadTracker | undefined> {
  const { file, share, parameters } = download;
  // Each URL that the uploader gets is one download. Listing the files again allows another download.
  const grantId = parameters.purpose === "uploader" ? `uploader-${parameters.signature}` : parameters.grantId;
  // Waits for the record of the previous transfer, because a client may continue before its end is recorded.
  await ctx.downloads.whenFlushed(grantId);
  const grant = await findGrant(ctx.db, grantId);
  if (download.isBodyless) {
    if (!grant) checkState(ctx, file, share);
    else if (!isGrantUsable(grant, { nowMs: ctx.now(), isBought: parameters.purchaseId !== "" })) throw fileNotFound();
    else checkGranted(ctx, file, share);
    return undefined;
  }
  if (!grant) await countUploader(ctx, call, download, grantId);
  else checkGranted(ctx, file, share);
  return await trackGrant(ctx, call, { file, grantId, purchaseId: parameters.purchaseId, span: download.span });
}

/** Checks the current state of the file. The signature proves that the caller has unlocked and paid for it. */
function checkState(ctx: Pick<Ctx, "now">, file: DownloadableFile, share: SharePolicy): void {
  checkSigned(ctx, file, share);
  checkReady(file);
}

/** Checks a file that has a grant. Deletion, takedown and a failed scan end the grant, as does the end of the share's grants. */
function checkGranted(ctx: Pick<Ctx, "now">, file: DownloadableFile, share: SharePolicy): void {
  if (!isGrantOpen(ctx, share) || (file.status !== "active" && file.status !== "expired")) throw fileNotFound();
  checkNotBlocked(file);
  if (file.blob_state !== "stored") throw fileNotFound();
  checkReady(file);
}

/** Counts a download at the first use of an uploader's URL. */
async function countUploader(
  ctx: Ctx,
  call: RequestContext,
  { file, share, parameters, expiresAtMs }: LimitedDownload,
  grantId: string,
): Promise<void> {
  if (parameters.purpose !== "uploader") throw fileNotFound();
  await ctx.transaction(async (ctx) => {
    if (await findGrant(ctx.db, grantId)) return;
    const current = await findDownloadable(ctx.db, file.id);
    if (!current) throw fileNotFound();
    if (current.share.credentials_version !== share.credentials_version) throw signatureInvalid();
    checkState(ctx, current.file, current.share);
    const options = { share: current.share, grantId: () => grantId, expiresAtMs, purchaseId: "" };
    if (!(await countDownloads(ctx, call, [current.file], options))) throw fileNotFound();
  });
}

/** Returns whether the owner of a file has a webhook for completed downloads (storage, "Downloads from an S3 store"). */
export async function hasDownloadWebhook(ctx: Pick<Ctx, "db">, file: DownloadableFile): Promise<boolean> {
  if (file.owner_id === null) return false;
  const subscribers = await listSubscribers(ctx.db, [file.owner_id]);
  return subscribers.some(({ events }) => events.includes("file.downloaded"));
}
