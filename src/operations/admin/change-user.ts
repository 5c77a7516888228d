import type { Ctx, TxCtx } from "../../context.ts";
import { keepShares } from "../../db/shares.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { listWebhooks } from "../../db/webhooks.ts";
import { enqueueEndpoint } from "../../events/enqueue-endpoint.ts";
import { lapseShares } from "../shares/lapse-shares.ts";
import { getUser } from "./get-user.ts";
import { resolveProUntil } from "./pro-until.ts";
import { toUserView, type UserView } from "./user-view.ts";

/**
 * Sets the tier of an account, from now on; `until` as in `resolveProUntil`. Pro keeps shares whose expiry nobody chose, and gives those
 * that an earlier end of Pro cut short their own expiry back. What the end of Pro does, also that of one in the past, is done here as the
 * cleanup does it. Throws NOT_FOUND, VALIDATION_FAILED.
 */
export async function setTier(
  ctx: Ctx,
  named: string,
  { tier, until }: { tier: "free" | "pro"; until?: string | undefined },
): Promise<UserView> {
  const nowMs = ctx.now();
  const proUntil = resolveProUntil(until, { tier, nowMs });
  const view = await ctx.tx(async (ctx) => {
    const user = await getUser(ctx.db, named);
    if (tier === "pro") await keepShares(ctx.db, { ownerId: user.id, all: proUntil === null || proUntil > nowMs, nowMs });
    const ended = user.tier === "pro" ? Math.min(user.pro_until ?? nowMs, nowMs) : user.pro_until;
    return await change(ctx, user, { tier, pro_until: tier === "pro" ? proUntil : ended });
  });
  await lapseShares(ctx, view.id);
  return view;
}

/**
 * Closes an account: with the next request its keys, part URLs, delegations and shares stop working, and its webhooks get nothing. Nothing is
 * removed, and what expires meanwhile expires. Throws NOT_FOUND.
 */
export const disableUser = (ctx: Ctx, named: string): Promise<UserView> =>
  ctx.tx(async (ctx) => await change(ctx, await getUser(ctx.db, named), { disabled_at: ctx.now() }));

/** Opens a closed account again, with all that it had; webhook deliveries that were waiting when it was closed go on. Throws NOT_FOUND. */
export async function enableUser(ctx: Ctx, named: string): Promise<UserView> {
  const view = await ctx.tx(async (ctx) => {
    const view = await change(ctx, await getUser(ctx.db, named), { disabled_at: null });
    for (const { id } of await listWebhooks(ctx.db, view.id)) await enqueueEndpoint(ctx, id);
    return view;
  });
  ctx.wakeJobs();
  return view;
}

/** Changes an account in the caller's transaction. */
export async function change(
  ctx: TxCtx,
  user: UserRow,
  update: Partial<Pick<UserRow, "tier" | "pro_until" | "disabled_at" | "username">>,
): Promise<UserView> {
  const updated = { ...update, updated_at: ctx.now() };
  await ctx.db.updateTable("users").set(updated).where("id", "=", user.id).execute();
  return toUserView({ ...user, ...updated }, ctx.now());
}
