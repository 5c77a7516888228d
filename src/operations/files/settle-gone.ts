import type { TxCtx } from "../../context.ts";
import { releaseQuota } from "../../db/quotas.ts";

/** Records that the bytes of files are gone that were being removed, and gives back the storage that they took. */
export async function settleGone(ctx: TxCtx, fileIds: readonly string[]): Promise<void> {
  const gone = await ctx.db
    .updateTable("files")
    .set({ blob_state: "gone", purge_at: null })
    .where("id", "in", fileIds)
    .where("blob_state", "=", "removing")
    .returning(["quota_owner", "size_bytes"])
    .execute();
  // Whoever holds it now: it may have been claimed since.
  for (const [owner, files] of Map.groupBy(gone, ({ quota_owner }) => quota_owner)) {
    const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    await releaseQuota(ctx.db, { owner, bytes, files: files.length });
  }
}
