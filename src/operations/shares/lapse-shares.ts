import type { Ctx } from "../../context.ts";
import { endWithPro, listLapsedShares } from "../../db/shares.ts";

const BATCH = 500;

/**
 * What the end of an account's Pro does to its shares, of one account or of all: each expires 24 hours after that end, unless it expires
 * sooner, and none is kept forever any more. In short batches; it can be run again at any time. Resolves to how many shares it changed.
 */
export async function lapseShares(ctx: Ctx, ownerId?: string): Promise<number> {
  for (let lapsed = 0; ; ) {
    // Listed in the transaction that changes them: Pro may have been renewed a moment ago.
    const count = await ctx.tx(async (ctx) => {
      const shares = await listLapsedShares(ctx.db, ctx.now(), BATCH, ownerId);
      if (shares.length > 0)
        await endWithPro(
          ctx.db,
          shares.map(({ short_id }) => short_id),
        );
      return shares.length;
    });
    lapsed += count;
    if (count < BATCH) return lapsed;
  }
}
