import type { TransactionCtx } from "../../context.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import { commitReservation, releaseQuota, reserveStorage } from "../accounts/quotas.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { findLatestExpiryMs, limitExpiry } from "./expiry.ts";
import { defaultExpiryMs } from "./publish-settings.ts";
import { findFileWithShare } from "./queries.ts";
import { isShareOpen } from "./share-state.ts";

/** `POST /files/claim`: moves an anonymous upload to the caller's account; of two concurrent claims, one succeeds (sharing, "Claiming"). */
export const claimFile: Operation<"claimFile"> = async (ctx, call, { fileId, claimToken }) => {
  const actor = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const found = await findFileWithShare(ctx.db, fileId);
    if (!found || found.file.status !== "active" || found.file.blob_state === "uploading" || !isShareOpen(ctx, found.share))
      throw fileNotFound();
    const { file, share } = found;
    if (!matchesHash(claimToken, file.claim_hash))
      throw new AppError("WRONG_TOKEN", "The claim token does not belong to this file. Check the token.");
    if (file.owner_id !== null && file.owner_id !== actor.userId)
      throw new AppError("CONFLICT", "Another account has already claimed this file. Ask its owner for access.");
    if (file.owner_id === null) await moveToOwner(ctx, actor, file, share);
    return { id: fileId, shortCode: share.short_id };
  });
};

async function moveToOwner(ctx: TransactionCtx, actor: UserActor, file: FileRow, share: ShareRow): Promise<void> {
  const limits = ctx.config.tiers[actor.tier];
  // The bytes of a blocked file may be removed, and their storage released.
  if (file.blob_state !== "removed") {
    await reserveStorage(ctx.db, actor, limits, { bytes: file.size_bytes, files: 1 });
    await commitReservation(ctx.db, { owner: actor.quotaOwner, reservedBytes: file.size_bytes, usedBytes: file.size_bytes });
    await releaseQuota(ctx.db, { owner: file.quota_owner, bytes: file.size_bytes, files: 1 });
  }
  await ctx.db.updateTable("files").set({ owner_id: actor.userId, quota_owner: actor.quotaOwner }).where("id", "=", file.id).execute();
  const expires_at = share.is_expiry_chosen === 1 ? share.expires_at : defaultExpiryMs(actor.tier, limits, ctx.now());
  const owned = { owner_id: actor.userId, ends_with_pro: actor.tier === "pro" ? 1 : 0 };
  const expiry = limitExpiry({ expires_at, is_expiry_chosen: share.is_expiry_chosen }, await findLatestExpiryMs(ctx, owned));
  await ctx.db
    .updateTable("shares")
    .set({ ...owned, ...expiry })
    .where("short_id", "=", share.short_id)
    .execute();
}

const fileNotFound = (): AppError => notFound("file", "Upload it again.", "or has expired");
