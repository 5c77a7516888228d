import type { Ctx } from "../../context.ts";
import { AppError, notFound } from "../../errors.ts";
import { matchesHash } from "../../lib/secrets/secrets.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { protectShare } from "./credentials.ts";
import { type FoundShare, findNamedShare } from "./queries.ts";
import { sealPassword } from "./share-password.ts";
import { isShareOpen } from "./share-state.ts";

/** `PATCH /files/link-protection`: protects an unclaimed anonymous share, or clears its protection. Requires the claim token. */
export const setLinkProtection: Operation<"setLinkProtection"> = async (ctx, call, { fileId, claimToken, handoffMessage, ...sent }) => {
  // Refuses a wrong token before the password is hashed.
  if (sent.password) await getUnclaimed(ctx, { fileId, claimToken });
  const protection = await sealPassword(ctx, call, sent);
  const { protect } = protection;
  return await commitResponse(ctx, call, async (ctx) => {
    const share = await getUnclaimed(ctx, { fileId, claimToken });
    if (handoffMessage !== undefined) {
      await ctx.db.updateTable("shares").set({ handoff_message: handoffMessage }).where("short_id", "=", share.short_id).execute();
    }
    const credentials = await protectShare(ctx, share.short_id, protection);
    const kind = protection.passwordHash ? "password" : "code";
    return { fileId, shortId: share.short_id, unlockRequired: protect, unlockKind: protect ? kind : null, ...credentials };
  });
};

/** Gets the unclaimed share of a claim token. Throws NOT_FOUND, WRONG_TOKEN, and CONFLICT once an account has it. */
async function getUnclaimed(
  ctx: Pick<Ctx, "db" | "now">,
  { fileId, claimToken }: Pick<Input<"setLinkProtection">, "fileId" | "claimToken">,
): Promise<FoundShare> {
  const { file, share } = (await findNamedShare(ctx.db, fileId)) ?? {};
  if (!share || (file && file.status !== "active") || share.claim_hash === null || !isShareOpen(ctx, share)) throw fileNotFound();
  if (!matchesHash(claimToken, share.claim_hash))
    throw new AppError("WRONG_TOKEN", "The claim token does not belong to this file or shipment. Check the token.");
  if (share.owner_id !== null)
    throw new AppError("CONFLICT", "This share belongs to an account. Its owner can protect it with share-settings.");
  return share;
}

const fileNotFound = (): AppError => notFound("anonymous upload or shipment", "Upload it again.", "or has ended");
