import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { protectShare } from "./credentials.ts";
import { findFileWithShare } from "./queries.ts";
import { isShareOpen } from "./share-state.ts";

/** `PATCH /files/link-protection`: protects an unclaimed anonymous upload, or clears its protection. Requires the claim token. */
export const setLinkProtection: Operation<"setLinkProtection"> = async (ctx, call, { fileId, claimToken, protect, handoffMessage }) => {
  return await commitResponse(ctx, call, async (ctx) => {
    const { file, share } = (await findFileWithShare(ctx.db, fileId)) ?? {};
    if (!file || !share || file.status !== "active" || file.claim_hash === null || !isShareOpen(ctx, share)) throw fileNotFound();
    if (!matchesHash(claimToken, file.claim_hash))
      throw new AppError("WRONG_TOKEN", "The claim token does not belong to this file. Check the token.");
    if (file.owner_id !== null)
      throw new AppError("CONFLICT", "This file belongs to an account. Its owner can protect it with share-settings.");
    if (handoffMessage !== undefined) {
      await ctx.db.updateTable("shares").set({ handoff_message: handoffMessage }).where("short_id", "=", share.short_id).execute();
    }
    const credentials = await protectShare(ctx, share.short_id, protect);
    return { fileId, shortId: share.short_id, unlockRequired: protect, ...credentials };
  });
};

const fileNotFound = (): AppError => notFound("anonymous upload", "Upload the file again.", "or has expired");
