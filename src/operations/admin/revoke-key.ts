import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "./user-view.ts";

export interface RevokedKey {
  readonly id: string;
  readonly prefix: string;
  readonly revokedAt: string | null;
}

/** Ends a key, named by its id, its prefix or itself: it stops working with the next request. Fine to do again. Throws NOT_FOUND. */
export async function revokeKey(ctx: Ctx, named: string): Promise<RevokedKey> {
  const prefix = /^(?:bc_)?([0-9A-Za-z]{8})(?:_[\w-]+)?$/.exec(named)?.[1] ?? "";
  return await ctx.tx(async (ctx) => {
    const key = await ctx.db
      .selectFrom("api_keys")
      .select(["id", "prefix", "revoked_at"])
      .where((where) => where.or([where("id", "=", named), where("prefix", "=", prefix)]))
      .executeTakeFirst();
    if (!key) throw new AppError("NOT_FOUND", "There is no such key. Name one by its id or its prefix, such as bc_AbCd1234.");
    const revokedAt = key.revoked_at ?? ctx.now();
    await ctx.db.updateTable("api_keys").set({ revoked_at: revokedAt }).where("id", "=", key.id).execute();
    return { id: key.id, prefix: `bc_${key.prefix}`, revokedAt: toIso(revokedAt) };
  });
}
