import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { type Actor, AGENT_QUOTA_PREFIX, type Scope, type UserActor, userSubject } from "./actor.ts";
import { effectiveTier } from "./pro-end.ts";
import { isLiveKey } from "./queries.ts";

export type ActingUser = Pick<UserRow, "id" | "username" | "tier" | "pro_until" | "role" | "agent_group" | "email_verified">;

/** Whether an account has only the limits of anonymous callers, until its owner has opened the link in a mail (accounts, "Verification"). */
export const isUnverified = (
  { config }: Pick<Ctx, "config">,
  { email_verified, role }: Pick<UserRow, "email_verified" | "role">,
): boolean => config.mail !== undefined && email_verified === 0 && role !== "agent";

/** The account as an actor, with its current tier. Agents of one IP address share a quota, and all agents share a pool. */
export function toUserActor(
  ctx: Pick<Ctx, "config" | "now">,
  user: ActingUser,
  credential: { scope: Scope; keyId?: string; isAdminKey?: boolean; sessionId?: string; provedAtMs?: number | null },
): UserActor {
  const paid = effectiveTier(user, ctx.now());
  const tier = paid === "free" && isUnverified(ctx, user) ? "anonymous" : paid;
  const isFreeAgent = user.agent_group !== null && tier === "free";
  return {
    kind: "user",
    tier,
    quotaOwner: isFreeAgent ? `${AGENT_QUOTA_PREFIX}${user.agent_group}` : userSubject(user.id),
    userId: user.id,
    username: user.username,
    scope: credential.scope,
    keyId: credential.keyId ?? null,
    sessionId: credential.sessionId ?? null,
    ...(credential.provedAtMs != null && { provedAtMs: credential.provedAtMs }),
    isAgent: user.role === "agent",
    isAdministrator: user.role === "admin",
    isAdminKey: credential.isAdminKey,
    ...(isFreeAgent && { poolBytes: ctx.config.bootstrapPoolBytes }),
  };
}

/** Who created an upload, import or delegation. */
export interface CreatedBy {
  readonly owner_id: string | null;
  readonly key_id: string | null;
  readonly quota_owner: string;
}

/**
 * The creator of background work with its current rights; check again at each step. Throws UNAUTHENTICATED if the account was deleted or
 * disabled, or the key was revoked (imports, "Interruptions"; accounts, "A disabled account").
 */
export async function getOwnerActor(ctx: Pick<Ctx, "db" | "config" | "now">, createdBy: CreatedBy): Promise<Actor> {
  if (createdBy.owner_id === null) return { kind: "anonymous", tier: "anonymous", quotaOwner: createdBy.quota_owner };
  const user = await ctx.db
    .selectFrom("users")
    .select(["id", "username", "tier", "pro_until", "disabled_at", "role", "agent_group", "email_verified"])
    .where("id", "=", createdBy.owner_id)
    .executeTakeFirst();
  if (!user || user.disabled_at !== null) throw accountDisabled();
  if (createdBy.key_id !== null && !(await isLiveKey(ctx.db, createdBy.key_id)))
    throw new AppError("UNAUTHENTICATED", "The API key that started this has been revoked. Start again with another key.");
  return toUserActor(ctx, user, { scope: "files_write" });
}

/** The error that ends background work of a deleted or disabled account. */
export const accountDisabled = (): AppError =>
  new AppError("UNAUTHENTICATED", "The account that started this was deleted or disabled. Start again with another account.");
