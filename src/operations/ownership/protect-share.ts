import type { TxCtx } from "../../context.ts";
import { NO_PROTECTION, newProtection, type ProtectionCredentials } from "../protection/credentials.ts";

/**
 * Protects a share with new credentials, or clears its protection, in the caller's transaction. Either way the share's generation rises:
 * old codes, tokens, delivery links and signed addresses are dead at once (interface, "Transition table").
 */
export async function protectShare(ctx: TxCtx, shortId: string, protect: boolean): Promise<Partial<ProtectionCredentials>> {
  const protection = protect ? newProtection(ctx, shortId) : undefined;
  await ctx.db
    .updateTable("shares")
    .set((update) => ({ ...(protection?.columns ?? NO_PROTECTION), generation: update("generation", "+", 1) }))
    .where("short_id", "=", shortId)
    .execute();
  await ctx.db.deleteFrom("rate_windows").where("name", "=", "unlockPerShare").where("subject", "=", shortId).execute();
  return { ...protection?.credentials };
}
