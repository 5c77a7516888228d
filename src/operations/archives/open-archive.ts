import type { Call, Ctx } from "../../context.ts";
import { type ArchiveGrant, listOpenGrants, takeOpenGrants } from "../../db/archive-grants.ts";
import type { Db } from "../../db/database.ts";
import { type ArchivableFile, listArchivable } from "../../db/deliveries.ts";
import { type FoundShare, findShare } from "../../db/shares.ts";
import { AppError } from "../../errors.ts";
import { isLimited } from "../downloads/count-download.ts";
import { isOpen } from "../shares/is-open.ts";
import { type ArchiveParameters, isSignedArchive, readArchiveParameters } from "./archive-url.ts";
import { type ArchiveTracker, trackGrants, trackOwned } from "./track-archive.ts";

export interface Archive {
  readonly share: FoundShare;
  readonly files: readonly ArchivableFile[];
  /** Told what was sent, where someone can ask. */
  readonly tracker: ArchiveTracker | undefined;
}

/**
 * Opens the signed address of an archive: its share's clean files as they were when the address was issued. Of a limited share it is one
 * transfer at a time, of what no earlier one has sent whole; a HEAD takes nothing. Throws SIGNATURE_INVALID or NOT_FOUND.
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
  if (!share || share.owner_disabled_at !== null || (!isLimited(share) && !isOpen(ctx, share))) throw archiveGone();
  const listed = (await listArchivable(ctx.db, shortId)).filter((file) => isDelivered(file, share, parameters));
  if (isLimited(share)) return await openLimited(ctx, call, { share, listed, archiveId: parameters.grantId, isHead });
  if (listed.length === 0) throw archiveGone();
  return { share, files: listed, tracker: isHead || share.owner_id === null ? undefined : trackOwned(ctx, call, listed) };
}

interface LimitedArchive {
  readonly share: FoundShare;
  readonly listed: readonly ArchivableFile[];
  readonly archiveId: string;
  readonly isHead: boolean;
}

async function openLimited(ctx: Ctx, call: Call, { share, listed, archiveId, isHead }: LimitedArchive): Promise<Archive> {
  // The end of a transfer is recorded a moment after its reader has seen it; who tries again at once must not come before that.
  await ctx.deliveries.settled(archiveId);
  if (isHead) return { share, files: (await findLeft(ctx.db, archiveId, listed)).files, tracker: undefined };
  const { files, grants } = await ctx.tx(async (ctx) => {
    const left = await findLeft(ctx.db, archiveId, listed);
    await takeOpenGrants(
      ctx.db,
      archiveId,
      left.files.map(({ id }) => id),
    );
    return left;
  });
  return { share, files, tracker: trackGrants(ctx, call, { archiveId, files, grants }) };
}

interface Left {
  readonly files: readonly ArchivableFile[];
  readonly grants: ReadonlyMap<string, ArchiveGrant>;
}

/** The files that were counted when the address was issued, and have not been sent whole or too often since. Throws NOT_FOUND for none. */
async function findLeft(db: Db, archiveId: string, listed: readonly ArchivableFile[]): Promise<Left> {
  const grants = new Map((await listOpenGrants(db, archiveId)).map((grant) => [grant.fileId, grant]));
  const files = listed.filter((file) => (grants.get(file.id)?.budgetBytes ?? -1) >= file.size_bytes);
  if (files.length === 0) throw archiveGone();
  return { files, grants };
}

/** Clean, there, and part of the share when the address was issued; a file that this very download used up is too. */
function isDelivered(file: ArchivableFile, share: FoundShare, { issuedAtMs }: ArchiveParameters): boolean {
  const isThere = file.blob_state === "stored" && file.scan_status === "clean" && file.created_at <= issuedAtMs;
  // What has become clean since was not counted; of a limited share, its grants tell.
  const wasCounted = isLimited(share) || (file.scanned_at ?? 0) <= issuedAtMs;
  const isUsedUp = isLimited(share) && file.status === "expired" && file.ended_at !== null && file.ended_at >= issuedAtMs;
  return isThere && wasCounted && (file.status === "active" || isUsedUp);
}

const signatureInvalid = (): AppError =>
  new AppError("SIGNATURE_INVALID", "This download address is not valid, or has lapsed. Open the share link again to get a new one.");

const archiveGone = (): AppError =>
  new AppError("NOT_FOUND", "These files are not here any more, have been downloaded as often as they may be, or are being sent just now.");
