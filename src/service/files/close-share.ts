import { AppError } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { ownShareNotFound } from "../shares/list-shares.ts";
import { closeShareRows, findLinkedShare, listShareFiles } from "../shares/queries.ts";
import { endFilesOnly, REMOVE_NOW } from "./end-file.ts";

/** `POST /shares/{shortId}/close`: closes a share of the account as if it had expired (sharing, "Closing a share"). */
export const closeShare: Operation<"closeShare"> = async (ctx, call, { shortId, force }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const share = await findLinkedShare(ctx.db, shortId);
    if (share?.owner_id !== userId || share.status === "deleted" || share.is_private === 1) throw ownShareNotFound();
    if (share.status !== "active") return { shortId: share.short_id };
    const files = (await listShareFiles(ctx.db, share.short_id)).filter(({ status }) => status === "active");
    if (files.some(({ immutable }) => immutable === 1))
      throw new AppError("IMMUTABLE", "A file of this share is immutable. Set immutable to false first.");
    if (share.kind === "file" && files.some(({ blob_state }) => blob_state === "uploading"))
      throw new AppError("UPLOAD_INCOMPLETE", "The file is still being uploaded. Abort its upload, or wait until it is complete.");
    await checkBuyers(ctx, { shortIds: [share.short_id] }, { force, loses: "what they paid for" });
    const nowMs = ctx.now();
    // Sets the expiry too, because the grants of a limited share depend on it.
    await ctx.db
      .updateTable("shares")
      .set({ expires_at: nowMs, expires_at_before_cut: null, is_expiry_chosen: 1, retention: "ttl" })
      .where("short_id", "=", share.short_id)
      .execute();
    await endFilesOnly(ctx, files, { status: "expired", removeAtMs: REMOVE_NOW });
    await closeShareRows(ctx, share.short_id, "expired");
    await recordAudit(ctx, call, { action: "share.closed", subject: share.short_id, account: userId });
    return { shortId: share.short_id };
  });
};
