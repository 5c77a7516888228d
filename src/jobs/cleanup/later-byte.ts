import type { Ctx } from "../../context.ts";
import { hasAnnounced } from "../../db/announced-parts.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import { ANONYMOUS_QUOTA_PREFIX } from "../../domain/actor.ts";
import { SESSION_AGE_MS, SESSION_IDLE_MS, stagedBlob } from "../../operations/uploads/session.ts";

/**
 * When the last byte came of an upload that looks idle here, where its senders still send parts straight to the store; undefined where it is
 * idle. While the store does not say, it is not.
 */
export async function findLaterByte(ctx: Ctx, session: UploadSessionRow): Promise<number | undefined> {
  if (session.created_at <= ctx.now() - SESSION_AGE_MS || !(await hasAnnounced(ctx.db, session.file_id))) return undefined;
  try {
    const parts = (await ctx.blobs.listParts?.(stagedBlob(session))) ?? [];
    const newest = parts.reduce((newest, part) => Math.max(newest, part.arrivedAtMs), 0);
    return newest > ctx.now() - idleMsOf(session) ? newest : undefined;
  } catch (error) {
    ctx.log.warn({ err: error, fileId: session.file_id }, "the store does not say whether an upload is still under way");
    return session.last_byte_at;
  }
}

const idleMsOf = ({ quota_owner }: UploadSessionRow): number =>
  quota_owner.startsWith(ANONYMOUS_QUOTA_PREFIX) ? SESSION_IDLE_MS.anonymous : SESSION_IDLE_MS.keyed;
