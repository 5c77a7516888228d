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
  const bytesByOwner = new Map<string, number>();
  // Whoever holds it now: it may have been claimed since.
  for (const { quota_owner, size_bytes } of gone) bytesByOwner.set(quota_owner, (bytesByOwner.get(quota_owner) ?? 0) + size_bytes);
  for (const [owner, bytes] of bytesByOwner) await releaseQuota(ctx.db, { owner, bytes });
}
