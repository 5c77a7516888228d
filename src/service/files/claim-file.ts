import type { TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import { commitReservation, releaseQuota, reserveStorage } from "../accounts/quotas.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { defaultExpiryMs } from "../shares/expiry.ts";
import { findLatestExpiryMs, limitExpiry } from "../shares/pro-limits.ts";
import { findNamedShare, listStoredBytes } from "../shares/queries.ts";
import { isShareOpen } from "../shares/share-state.ts";
import { createFolderTree } from "./folder-tree.ts";
import { placeByPath } from "./place-by-path.ts";

/**
 * `POST /files/claim`: moves an anonymous share with all its files to the caller's account. Only one of two concurrent claims succeeds (sharing,
 * "Claiming").
 */
export const claimFile: Operation<"claimFile"> = async (ctx, call, { fileId, claimToken }) => {
  const actor = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const found = await findNamedShare(ctx.db, fileId);
    if (!found || !isClaimable(found.file) || !isShareOpen(ctx, found.share)) throw fileNotFound();
    const { share } = found;
    if (!matchesHash(claimToken, share.claim_hash))
      throw new AppError("WRONG_TOKEN", "The claim token does not belong to this file or shipment. Check the token.");
    if (share.owner_id !== null && share.owner_id !== actor.userId)
      throw new AppError("CONFLICT", "Another account has already claimed this. Ask its owner for access.");
    if (share.owner_id === null) {
      await moveToOwner(ctx, actor, share);
      await recordAudit(ctx, call, { action: "share.claimed", subject: share.short_id, account: actor.userId });
    }
    return { id: fileId, shortCode: share.short_id };
  });
};

/** Returns whether a named file, if any, can be claimed. */
const isClaimable = (file: FileRow | undefined): boolean =>
  file === undefined || (file.status === "active" && file.blob_state !== "uploading");

/** Moves a share to an account. Its unfinished uploads become the account's files too, but count on their uploaders' quotas. */
async function moveToOwner(ctx: TransactionCtx, actor: UserActor, share: ShareRow): Promise<void> {
  const limits = ctx.config.tiers[actor.tier];
  const moved = (await listStoredBytes(ctx.db, share.short_id)).filter(({ owner }) => owner !== actor.quotaOwner);
  const bytes = moved.reduce((sum, part) => sum + part.bytes, 0);
  const files = moved.reduce((sum, part) => sum + part.files, 0);
  if (files > 0) {
    await reserveStorage(ctx.db, actor, limits, { bytes, files });
    await commitReservation(ctx.db, { owner: actor.quotaOwner, reservedBytes: bytes, usedBytes: bytes });
    for (const part of moved) await releaseQuota(ctx.db, part);
  }
  const ofShare = ctx.db.updateTable("files").where("short_id", "=", share.short_id);
  await ofShare.set({ quota_owner: actor.quotaOwner }).where("blob_state", "not in", ["uploading", "removed"]).execute();
  await ofShare.set({ owner_id: actor.userId }).execute();
  const claimed = ctx.db.selectFrom("files").select(["id", "relative_path"]).where("short_id", "=", share.short_id);
  const stored = await claimed.where("status", "=", "active").where("blob_state", "<>", "uploading").execute();
  await placeByPath(ctx, createFolderTree(ctx, actor.userId), stored);
  const expires_at = share.is_expiry_chosen === 1 ? share.expires_at : defaultExpiryMs(actor.tier, limits, ctx.now());
  const owned = { owner_id: actor.userId, ends_with_pro: actor.tier === "pro" ? 1 : 0 };
  const expiry = limitExpiry({ expires_at, is_expiry_chosen: share.is_expiry_chosen }, await findLatestExpiryMs(ctx, owned));
  await ctx.db
    .updateTable("shares")
    .set({ ...owned, ...expiry, share_token_hash: null })
    .where("short_id", "=", share.short_id)
    .execute();
}

const fileNotFound = (): AppError => notFound("file or shipment", "Upload it again.", "or has ended");
