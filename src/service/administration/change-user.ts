import type { TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { revokeAdminKeys } from "../accounts/admin-keys.ts";
import { checkOtherAdministrator } from "../accounts/administrator.ts";
import { deleteSessions } from "../accounts/sessions.ts";
import { checkUsernameFree, resolveProUntil, updateUserRow } from "../accounts/users.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { unlistImports } from "../imports/queries.ts";
import { deleteConnections } from "../oauth/end-connections.ts";
import { enqueueAdjustment } from "../selling/subscribers.ts";
import { restoreProExpiry, unlistShares } from "../shares/queries.ts";
import { endEmailChange } from "../sign-in/account-links.ts";
import { endMadeLinks } from "../sign-in/invites.ts";
import { unlistDelegations } from "../uploads/delegation.ts";
import { unlistUploads } from "../uploads/queries.ts";
import { enqueueEndpointJob } from "../webhooks/enqueue-endpoint-job.ts";
import { listEndpoints } from "../webhooks/queries.ts";

/** Advice for the only administrator, who cannot lose the role or be disabled. */
const MAKE_ANOTHER = "Make another account an administrator's first.";

/** A new tier; `until` as in `resolveProUntil`. */
interface NewTier {
  readonly tier: "free" | "pro";
  readonly until?: string | undefined;
}

/**
 * Sets the tier of an account immediately, in a transaction. Pro removes the expiry of shares without a chosen one and restores expiries that an
 * earlier end of Pro shortened; call `limitSharesPastPro` afterwards. Throws VALIDATION_FAILED.
 */
export async function changeTier(ctx: TransactionCtx, origin: AuditOrigin, user: UserRow, { tier, until }: NewTier): Promise<UserRow> {
  const nowMs = ctx.now();
  const proUntil = resolveProUntil(until, { tier, nowMs });
  if (tier === "pro") await restoreProExpiry(ctx.db, { ownerId: user.id, all: proUntil === null || proUntil > nowMs, nowMs });
  const details = { tier, until: toIso(proUntil) ?? undefined };
  await recordAudit(ctx, origin, { action: "account.tier_set", subject: user.id, account: user.id, details });
  const ended = user.tier === "pro" ? Math.min(user.pro_until ?? nowMs, nowMs) : user.pro_until;
  return await updateUserRow(ctx, user, { tier, pro_until: tier === "pro" ? proUntil : ended });
}

/**
 * Disables or enables an account, in a transaction. A disabled account's credentials and shares are refused, and nothing is removed; enabling sends
 * the waiting deliveries. Throws CONFLICT for the last administrator. Call `ctx.wakeJobs` afterwards.
 */
export async function setDisabled(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  user: UserRow,
  { isDisabled }: { readonly isDisabled: boolean },
): Promise<UserRow> {
  if (isDisabled && user.role === "admin") await checkOtherAdministrator(ctx.db, user.id, MAKE_ANOTHER);
  if (isDisabled) {
    await endMadeLinks(ctx.db, user.id);
    await endEmailChange(ctx.db, user.id);
  }
  const action = isDisabled ? "account.disabled" : "account.enabled";
  await recordAudit(ctx, origin, { action, subject: user.id, account: user.id });
  const changed = await updateUserRow(ctx, user, { disabled_at: isDisabled ? ctx.now() : null });
  await enqueueAdjustment(ctx, user.id);
  if (!isDisabled) for (const { id } of await listEndpoints(ctx.db, user.id)) await enqueueEndpointJob(ctx, id);
  return changed;
}

/**
 * Grants or removes the administrator role, in a transaction. Removing it revokes the account's administration keys. Throws CONFLICT for the last
 * administrator and for an agent.
 */
export async function changeRole(ctx: TransactionCtx, origin: AuditOrigin, user: UserRow, role: "user" | "admin"): Promise<UserRow> {
  if (user.role === role) return user;
  if (user.role === "agent") throw new AppError("CONFLICT", "A registered agent cannot become an administrator. Use a person's account.");
  if (role === "user") {
    await checkOtherAdministrator(ctx.db, user.id, MAKE_ANOTHER);
    await revokeAdminKeys(ctx, origin, user.id);
    await endMadeLinks(ctx.db, user.id);
  }
  await recordAudit(ctx, origin, { action: "account.role_set", subject: user.id, account: user.id, details: { role } });
  return await updateUserRow(ctx, user, { role });
}

/** Ends all sessions of an account and disconnects its applications, in a transaction. Its keys remain. */
export async function endAllSessions(ctx: TransactionCtx, origin: AuditOrigin, user: UserRow): Promise<{ readonly endedSessions: number }> {
  const endedSessions = await deleteSessions(ctx.db, user.id);
  await deleteConnections(ctx.db, user.id);
  await recordAudit(ctx, origin, {
    action: "account.signed_out",
    subject: user.id,
    account: user.id,
    details: { sessions: endedSessions },
  });
  return { endedSessions };
}

/**
 * Sets the username of an account, in a transaction. Null removes it and makes public shares unlisted, including those of running uploads. Throws
 * CONFLICT if another account has it.
 */
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
