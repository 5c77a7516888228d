import type { Ctx, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { toIso } from "../../lib/iso-time.ts";
import {
  checkUsername,
  checkUsernameFree,
  getUser,
  resolveProUntil,
  toUserView,
  type UserView,
  updateUser,
  updateUserRow,
} from "../accounts/users.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { unlistImports } from "../imports/queries.ts";
import { limitSharesPastPro } from "../shares/expiry.ts";
import { restoreProExpiry, unlistShares } from "../shares/queries.ts";
import { unlistDelegations } from "../uploads/delegation.ts";
import { unlistUploads } from "../uploads/queries.ts";
import { enqueueEndpointJob } from "../webhooks/enqueue-endpoint-job.ts";
import { listEndpoints } from "../webhooks/queries.ts";

/**
 * Sets the tier of an account from now on; `until` as in `resolveProUntil`. With Pro, shares without a chosen expiry no longer expire, and
 * shares that an earlier end of Pro shortened get their own expiry back. The end of Pro, even a past one, takes effect immediately. Throws
 * NOT_FOUND, VALIDATION_FAILED.
 */
export async function setTier(
  ctx: Ctx,
  origin: AuditOrigin,
  name: string,
  { tier, until }: { tier: "free" | "pro"; until?: string | undefined },
): Promise<UserView> {
  const nowMs = ctx.now();
  const proUntil = resolveProUntil(until, { tier, nowMs });
  const view = await ctx.transaction(async (ctx) => {
    const user = await getUser(ctx.db, name);
    if (tier === "pro") await restoreProExpiry(ctx.db, { ownerId: user.id, all: proUntil === null || proUntil > nowMs, nowMs });
    const details = { tier, until: toIso(proUntil) ?? undefined };
    await recordAudit(ctx, origin, { action: "account.tier_set", subject: user.id, account: user.id, details });
    const ended = user.tier === "pro" ? Math.min(user.pro_until ?? nowMs, nowMs) : user.pro_until;
    return await updateUser(ctx, user, { tier, pro_until: tier === "pro" ? proUntil : ended });
  });
  await limitSharesPastPro(ctx, view.id);
  return view;
}

/**
 * Disables an account: from the next request on, its keys, part URLs, delegations and shares are refused, and its webhooks get no events.
 * Removes nothing; shares still expire. Throws NOT_FOUND.
 */
export const disableUser = (ctx: Ctx, origin: AuditOrigin, name: string): Promise<UserView> =>
  ctx.transaction(async (ctx) => {
    const user = await getUser(ctx.db, name);
    await recordAudit(ctx, origin, { action: "account.disabled", subject: user.id, account: user.id });
    return await updateUser(ctx, user, { disabled_at: ctx.now() });
  });

/** Enables a disabled account with all that it had. Deliveries that waited when it was disabled are sent. Throws NOT_FOUND. */
export async function enableUser(ctx: Ctx, origin: AuditOrigin, name: string): Promise<UserView> {
  const view = await ctx.transaction(async (ctx) => {
    const view = await updateUser(ctx, await getUser(ctx.db, name), { disabled_at: null });
    await recordAudit(ctx, origin, { action: "account.enabled", subject: view.id, account: view.id });
    for (const { id } of await listEndpoints(ctx.db, view.id)) await enqueueEndpointJob(ctx, id);
    return view;
  });
  ctx.wakeJobs();
  return view;
}

/**
 * Sets the username of an account. Null removes it and makes public shares unlisted, including those of running uploads. Throws NOT_FOUND,
 * VALIDATION_FAILED, or CONFLICT if another account has the username.
 */
export async function setUsername(ctx: Ctx, origin: AuditOrigin, name: string, newUsername: string | null): Promise<UserView> {
  const username = newUsername === null ? null : checkUsername(newUsername);
  return await ctx.transaction(async (ctx) => {
    const changed = await changeUsername(ctx, origin, await getUser(ctx.db, name), username);
    return toUserView(changed, ctx.now());
  });
}

/** Gives an account a username, or removes it. Throws CONFLICT if another account has it. */
export async function changeUsername(ctx: TransactionCtx, origin: AuditOrigin, user: UserRow, username: string | null): Promise<UserRow> {
  if (username === null) await unlistAll(ctx, user.id);
  else await checkUsernameFree(ctx, username, user.id);
  await recordAudit(ctx, origin, { action: "account.username_set", subject: user.id, account: user.id, details: { username } });
  return await updateUserRow(ctx, user, { username });
}

/** Makes public shares unlisted, including those of unfinished uploads. An unlisted share expires by the rule of the tier. */
async function unlistAll({ db }: TransactionCtx, ownerId: string): Promise<void> {
  await unlistShares(db, ownerId);
  await unlistUploads(db, ownerId);
  await unlistDelegations(db, ownerId);
  await unlistImports(db, ownerId);
}
