import { matchesHash } from "../../auth/secrets.ts";
import { findFileWithShare } from "../../db/shares.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { isOpen } from "../shares/is-open.ts";
import { protectShare } from "./protect-share.ts";

/** `PATCH /files/link-protection`: of an anonymous upload that nobody has claimed, by its claim token. */
export const setLinkProtection: Operation<"setLinkProtection"> = async (
  ctx,
  { remember },
  { fileId, claimToken, protect, handoffMessage },
) => {
  return await ctx.tx(async (ctx) => {
    const { file, share } = (await findFileWithShare(ctx.db, fileId)) ?? {};
    if (!file || !share || file.status !== "active" || file.claim_hash === null || !isOpen(ctx, share)) throw fileNotFound();
    if (!matchesHash(claimToken, file.claim_hash)) throw new AppError("WRONG_TOKEN", "This is not the claim token of that file.");
    if (file.owner_id !== null) throw new AppError("CONFLICT", "This file has been claimed. Its owner can protect it with share-settings.");
    if (handoffMessage !== undefined) {
      await ctx.db.updateTable("shares").set({ handoff_message: handoffMessage }).where("short_id", "=", share.short_id).execute();
    }
    const credentials = await protectShare(ctx, share.short_id, protect);
    const answer = { success: true, data: { fileId, shortId: share.short_id, unlockRequired: protect, ...credentials } } as const;
    await remember?.(ctx, answer);
    return answer;
  });
};

const fileNotFound = (): AppError => new AppError("NOT_FOUND", "There is no such anonymous upload, or it has expired.");
