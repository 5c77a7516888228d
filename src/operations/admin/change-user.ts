import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/schema.ts";
import { getUser } from "./get-user.ts";
import { resolveProUntil } from "./pro-until.ts";
import { toUserView, type UserView } from "./user-view.ts";

/** Sets the tier of an account, from now on; `until` as in `resolveProUntil`. Throws NOT_FOUND, VALIDATION_FAILED. */
export async function setTier(
  ctx: Ctx,
  named: string,
  { tier, until }: { tier: "free" | "pro"; until?: string | undefined },
): Promise<UserView> {
  return await change(ctx, named, { tier, pro_until: resolveProUntil(until, { tier, nowMs: ctx.now() }) });
}

/** Closes an account: its keys stop working with the next request; its shares stay. Throws NOT_FOUND. */
export const disableUser = (ctx: Ctx, named: string): Promise<UserView> => change(ctx, named, { disabled_at: ctx.now() });

/** Opens a closed account again, with the keys that it had. Throws NOT_FOUND. */
export const enableUser = (ctx: Ctx, named: string): Promise<UserView> => change(ctx, named, { disabled_at: null });

async function change(ctx: Ctx, named: string, update: Partial<Pick<UserRow, "tier" | "pro_until" | "disabled_at">>): Promise<UserView> {
  return await ctx.tx(async (ctx) => {
    const user = await getUser(ctx.db, named);
    const updated = { ...update, updated_at: ctx.now() };
    await ctx.db.updateTable("users").set(updated).where("id", "=", user.id).execute();
    return toUserView({ ...user, ...updated }, ctx.now());
  });
}
