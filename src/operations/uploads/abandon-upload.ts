import type { StagedBlob } from "../../blobs/store.ts";
import type { Ctx, TxCtx } from "../../context.ts";
import { cancelReservation } from "../../db/quotas.ts";

export interface AbandonedUpload {
  readonly sessionId: string;
  readonly fileId: string;
  readonly shortId: string;
  readonly staged: StagedBlob;
  /** Leaves an upload alone that is being completed. */
  readonly onlyOpen?: boolean;
  /** Runs in the transaction that undoes it. */
  readonly onUndone?: (ctx: TxCtx) => Promise<void>;
}

/**
 * Undoes an upload that will not end well: rows, reservation and bytes. Fine where another process did so already, and harmless where
 * the upload was completed in the meantime. Resolves to whether there was something to undo.
 */
export async function abandonUpload(ctx: Ctx, upload: AbandonedUpload): Promise<boolean> {
  const outcome = await ctx.tx(async (ctx) => {
    const session = await ctx.db
      .deleteFrom("upload_sessions")
      .where("id", "=", upload.sessionId)
      .where("state", "in", upload.onlyOpen ? ["open"] : ["open", "completing"])
      .returning(["quota_owner", "reserved_bytes"])
      .executeTakeFirst();
    if (!session) return (await isFile(ctx, upload.fileId)) ? "kept" : "gone";
    await ctx.db.deleteFrom("files").where("id", "=", upload.fileId).where("blob_state", "=", "uploading").execute();
    await ctx.db.deleteFrom("shares").where("short_id", "=", upload.shortId).execute();
    await cancelReservation(ctx.db, { owner: session.quota_owner, bytes: session.reserved_bytes, files: 1 });
    await upload.onUndone?.(ctx);
    return "undone";
  });
  // Where another process undid it, bytes may have come to their place since: not every store hears of the end of an upload that it is not in yet.
  if (outcome !== "kept") await ctx.blobs.discard(upload.staged);
  return outcome === "undone";
}

const isFile = async (ctx: TxCtx, fileId: string): Promise<boolean> =>
  (await ctx.db.selectFrom("files").select("id").where("id", "=", fileId).executeTakeFirst()) !== undefined;
