import { matchesHash } from "../../auth/secrets.ts";
import type { TxCtx } from "../../context.ts";
import { releaseQuota, settleQuota } from "../../db/quotas.ts";
import { findFileWithShare } from "../../db/shares.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import type { UserActor } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { latestExpiryMs, limitExpiry } from "../shares/expiry.ts";
import { isOpen } from "../shares/is-open.ts";
import { reserveStorage } from "../uploads/limits.ts";

/** `POST /files/claim`: an anonymous upload becomes the caller's; of two claims at once, one wins (decisions, "Expiry and removal"). */
export const claimFile: Operation<"claimFile"> = async (ctx, call, { fileId, claimToken }) => {
  const { remember } = call;
  const actor = requireUser(call.actor);
  return await ctx.tx(async (ctx) => {
    const found = await findFileWithShare(ctx.db, fileId);
    if (!found || found.file.status !== "active" || found.file.blob_state === "uploading" || !isOpen(ctx, found.share))
      throw fileNotFound();
    const { file, share } = found;
    if (!matchesHash(claimToken, file.claim_hash)) throw new AppError("WRONG_TOKEN", "This is not the claim token of that file.");
    if (file.owner_id !== null && file.owner_id !== actor.userId)
      throw new AppError("CONFLICT", "This file has been claimed by another account already.");
    if (file.owner_id === null) await moveToOwner(ctx, actor, file, share);
    const answer = { success: true, data: { id: fileId, shortCode: share.short_id } } as const;
    await remember?.(ctx, answer);
    return answer;
  });
};

async function moveToOwner(ctx: TxCtx, actor: UserActor, file: FileRow, share: ShareRow): Promise<void> {
  const limits = ctx.config.tiers[actor.tier];
  // The bytes of a blocked file may have gone, and with them what they took.
  if (file.blob_state !== "gone") {
    await reserveStorage(ctx.db, actor, limits, { bytes: file.size_bytes, files: 1 });
    await settleQuota(ctx.db, { owner: actor.quotaOwner, reservedBytes: file.size_bytes, usedBytes: file.size_bytes });
    await releaseQuota(ctx.db, { owner: file.quota_owner, bytes: file.size_bytes, files: 1 });
  }
  await ctx.db.updateTable("files").set({ owner_id: actor.userId, quota_owner: actor.quotaOwner }).where("id", "=", file.id).execute();
  const isPro = actor.tier === "pro";
  const defaultExpiry = isPro ? null : ctx.now() + limits.retentionMs;
  const expires_at = share.expiry_chosen === 1 ? share.expires_at : defaultExpiry;
  const owned = { owner_id: actor.userId, ends_with_pro: isPro ? 1 : 0 };
  const expiry = limitExpiry({ expires_at, expiry_chosen: share.expiry_chosen }, await latestExpiryMs(ctx, owned));
  await ctx.db
    .updateTable("shares")
    .set({ ...owned, ...expiry })
    .where("short_id", "=", share.short_id)
    .execute();
}

const fileNotFound = (): AppError => new AppError("NOT_FOUND", "There is no such file, or it has expired.");
