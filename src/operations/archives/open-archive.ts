import type { Call, Ctx } from "../../context.ts";
import { findGrant } from "../../db/grants.ts";
import type { FileRow, ShareRow } from "../../db/schema.ts";
import { findShare, listShareFiles } from "../../db/shares.ts";
import { AppError } from "../../errors.ts";
import { isLimited } from "../downloads/count-download.ts";
import { type DeliveryTracker, trackGrant, trackOwned } from "../downloads/track-delivery.ts";
import { isOpen } from "../shares/is-open.ts";
import { type ArchiveParameters, isSignedArchive, readArchiveParameters } from "./archive-url.ts";
import { archiveGrantId } from "./authorize-archive.ts";

/** A file of an archive, and who hears that it was delivered. */
export interface ArchiveFile {
  readonly file: FileRow;
  readonly tracker: DeliveryTracker | undefined;
}

export interface Archive {
  readonly share: ShareRow;
  readonly files: readonly ArchiveFile[];
}

/**
 * Opens the signed address of an archive: its share's clean files as they were when the address was issued. Of a limited share each file
 * is taken from its grant; a HEAD takes nothing. Throws SIGNATURE_INVALID or NOT_FOUND.
 */
export async function openArchive(
  ctx: Ctx,
  call: Call,
  { shortId, query, isHead }: { shortId: string; query: URLSearchParams; isHead: boolean },
): Promise<Archive> {
  const parameters = readArchiveParameters(query);
  const share = await findShare(ctx.db, shortId);
  if (!parameters || !isSignedArchive(ctx, { shortId, generation: share?.generation ?? 0 }, parameters)) throw signatureInvalid();
  if (ctx.now() >= parameters.untilMs) throw signatureInvalid();
  if (!share || (!isLimited(share) && !isOpen(ctx, share))) throw archiveGone();
  const listed = (await listShareFiles(ctx.db, shortId)).filter((file) => isDelivered(file, share, parameters));
  const files = isLimited(share) ? await onlyCounted(ctx, listed, parameters) : listed;
  if (files.length === 0) throw archiveGone();
  if (isHead) return { share, files: files.map((file) => ({ file, tracker: undefined })) };
  const opened: ArchiveFile[] = [];
  for (const file of files) opened.push({ file, tracker: await openFile(ctx, call, { file, share, parameters }) });
  return { share, files: opened };
}

/** Of a limited share, the files that were counted when the address was issued: another may have become clean since. */
async function onlyCounted(ctx: Ctx, files: readonly FileRow[], { grantId }: ArchiveParameters): Promise<FileRow[]> {
  const counted: FileRow[] = [];
  for (const file of files) if (await findGrant(ctx.db, archiveGrantId(grantId, file.id))) counted.push(file);
  return counted;
}

/** Clean, there, and part of the share when the address was issued; a file that this very download used up is too. */
function isDelivered(file: FileRow, share: ShareRow, { issuedAtMs }: ArchiveParameters): boolean {
  const isThere = file.blob_state === "stored" && file.scan_status === "clean" && file.created_at <= issuedAtMs;
  // What has become clean since was not counted; of a limited share, its grants tell.
  const wasCounted = isLimited(share) || (file.scanned_at ?? 0) <= issuedAtMs;
  const isUsedUp = isLimited(share) && file.status === "expired" && file.ended_at !== null && file.ended_at >= issuedAtMs;
  return isThere && wasCounted && (file.status === "active" || isUsedUp);
}

async function openFile(
  ctx: Ctx,
  call: Call,
  { file, share, parameters }: { file: FileRow; share: ShareRow; parameters: ArchiveParameters },
): Promise<DeliveryTracker | undefined> {
  if (!isLimited(share))
    return file.owner_id === null ? undefined : trackOwned(ctx, call, { file, deliveryId: parameters.signature + file.id });
  const grantId = archiveGrantId(parameters.grantId, file.id);
  return await trackGrant(ctx, call, { file, grantId, span: { start: 0, end: file.size_bytes } });
}

const signatureInvalid = (): AppError =>
  new AppError("SIGNATURE_INVALID", "This download address is not valid, or has lapsed. Open the share link again to get a new one.");

const archiveGone = (): AppError =>
  new AppError("NOT_FOUND", "These files are not here any more, or have been downloaded as often as they may be.");
