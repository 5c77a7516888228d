import type { Ctx, TxCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { PRO_GRACE_MS } from "../../domain/tiers.ts";
import { getUser } from "./get-user.ts";
import { resolveProUntil } from "./pro-until.ts";
import { toUserView, type UserView } from "./user-view.ts";

/**
 * Sets the tier of an account, from now on; `until` as in `resolveProUntil`. Pro makes shares stay whose expiry nobody chose; what stays
 * when an operator ends Pro goes after the same grace as when its time ends. Throws NOT_FOUND, VALIDATION_FAILED.
 */
export async function setTier(
  ctx: Ctx,
  named: string,
  { tier, until }: { tier: "free" | "pro"; until?: string | undefined },
): Promise<UserView> {
  const nowMs = ctx.now();
  const proUntil = resolveProUntil(until, { tier, nowMs });
  return await ctx.tx(async (ctx) => {
    const user = await getUser(ctx.db, named);
    if (tier === "pro" && (proUntil === null || proUntil > nowMs)) await keepShares(ctx, user.id);
    const ended = user.tier === "pro" ? Math.min(user.pro_until ?? nowMs, nowMs) : user.pro_until;
    if (tier === "free" && user.tier === "pro") await lapseShares(ctx, user.id, (ended ?? nowMs) + PRO_GRACE_MS);
    return await change(ctx, user, { tier, pro_until: tier === "pro" ? proUntil : ended });
  });
}

async function keepShares(ctx: TxCtx, ownerId: string): Promise<void> {
  await ctx.db
    .updateTable("shares")
    .set({ expires_at: null })
    .where("owner_id", "=", ownerId)
    .where("status", "=", "active")
    .where("expiry_chosen", "=", 0)
    .where("expires_at", ">", ctx.now())
    .execute();
}

/** What the cleanup does when Pro's time ends, at once: whoever looks after this command sees when the files go. */
async function lapseShares(ctx: TxCtx, ownerId: string, expiresAtMs: number): Promise<void> {
  await ctx.db
    .updateTable("shares")
    .set({ expires_at: expiresAtMs, retention: "ttl" })
    .where("owner_id", "=", ownerId)
    .where("status", "=", "active")
    .where("expires_at", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("files")
          .select("files.id")
          .whereRef("files.short_id", "=", "shares.short_id")
          .where("files.blob_state", "<>", "uploading"),
      ),
    )
    .execute();
}

/** Closes an account: its keys stop working with the next request; its shares stay. Throws NOT_FOUND. */
export const disableUser = (ctx: Ctx, named: string): Promise<UserView> =>
  ctx.tx(async (ctx) => await change(ctx, await getUser(ctx.db, named), { disabled_at: ctx.now() }));

/** Opens a closed account again, with the keys that it had. Throws NOT_FOUND. */
export const enableUser = (ctx: Ctx, named: string): Promise<UserView> =>
  ctx.tx(async (ctx) => await change(ctx, await getUser(ctx.db, named), { disabled_at: null }));

async function change(ctx: TxCtx, user: UserRow, update: Partial<Pick<UserRow, "tier" | "pro_until" | "disabled_at">>): Promise<UserView> {
  const updated = { ...update, updated_at: ctx.now() };
  await ctx.db.updateTable("users").set(updated).where("id", "=", user.id).execute();
  return toUserView({ ...user, ...updated }, ctx.now());
}
