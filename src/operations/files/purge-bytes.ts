import type { Ctx } from "../../context.ts";
import { settleGone } from "./settle-gone.ts";

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
  await ctx.tx((ctx) => settleGone(ctx, [fileId]));
  return true;
}
