import type { Ctx } from "../../context.ts";
import { releaseQuota } from "../../db/quotas.ts";

/**
 * Removes the bytes of an ended file and gives its storage back. The row says first that they are going, so that whoever
 * finds it half done goes on; fine to call again. Resolves to whether there was something to do.
 */
export async function purgeBytes(ctx: Ctx, fileId: string): Promise<boolean> {
  const file = await ctx.db
    .updateTable("files")
    .set({ blob_state: "removing" })
    .where("id", "=", fileId)
    .where("blob_state", "in", ["stored", "quarantined", "removing"])
    .returning("blob_key")
    .executeTakeFirst();
  if (!file) return false;
  await ctx.blobs.remove(file.blob_key);
  await ctx.tx(async (ctx) => {
    const gone = await ctx.db
      .updateTable("files")
      .set({ blob_state: "gone", purge_at: null })
      .where("id", "=", fileId)
      .where("blob_state", "=", "removing")
      .returning(["quota_owner", "size_bytes"])
      .executeTakeFirst();
    // Whoever holds it now: it may have been claimed since.
    if (gone) await releaseQuota(ctx.db, { owner: gone.quota_owner, bytes: gone.size_bytes });
  });
  return true;
}
