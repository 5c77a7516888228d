import type { Ctx } from "../../context.ts";
import { endShare, findShareBehind, listShareFiles } from "../../db/shares.ts";
import { DAY_MS } from "../../domain/ttl.ts";
import { AppError } from "../../errors.ts";
import { endFilesAlone } from "../files/end-file.ts";

export interface TakenDown {
  readonly shortId: string;
  readonly status: "dmca_removed";
  readonly files: readonly { readonly id: string; readonly name: string; readonly status: string }[];
  /** Until when the bytes are kept, unserved, so that a takedown by mistake can be looked at. */
  readonly bytesUntil: string;
}

/**
 * Blocks a share and its files on every road: 451 on pages, 404 on the API, signed addresses dead (decisions, "Expiry and removal"). A link
 * that leads on to a shipment names that. The bytes go when the days of quarantine are over. Fine to do again. Throws NOT_FOUND for an unknown share, or one that was deleted.
 */
export async function takeDown(ctx: Ctx, named: string): Promise<TakenDown> {
  const purgeAtMs = ctx.now() + ctx.config.quarantineDays * DAY_MS;
  const { shortId, files } = await ctx.tx(async (ctx) => {
    const share = await findShareBehind(ctx.db, named);
    if (!share) throw new AppError("NOT_FOUND", `There is no share ${named}.`);
    const shortId = share.short_id;
    if (share.status === "deleted")
      throw new AppError("NOT_FOUND", `The share ${named} was deleted by its owner: nothing of it is served any more.`);
    await endFilesAlone(ctx, await listShareFiles(ctx.db, shortId), { status: "dmca_removed", purgeAtMs });
    await endShare(ctx.db, shortId, "dmca_removed");
    // Nothing is there to be removed later, or the upload's own end removes it.
    await ctx.db
      .updateTable("files")
      .set({ purge_at: null })
      .where("short_id", "=", shortId)
      .where("blob_state", "in", ["gone", "uploading"])
      .execute();
    return { shortId, files: await listShareFiles(ctx.db, shortId) };
  });
  return {
    shortId,
    status: "dmca_removed",
    files: files.map(({ id, name, status }) => ({ id, name, status })),
    bytesUntil: new Date(Math.max(0, ...files.map((file) => file.purge_at ?? 0)) || ctx.now()).toISOString(),
  };
}
