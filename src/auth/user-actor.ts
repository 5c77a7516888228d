import type { Ctx } from "../context.ts";
import type { UserRow } from "../db/tables/accounts.ts";
import { AGENT_QUOTA_PREFIX, type Scope, type UserActor } from "../domain/actor.ts";
import { effectiveTier } from "../domain/tiers.ts";

export type ActingUser = Pick<UserRow, "id" | "username" | "tier" | "pro_until" | "role" | "agent_group">;

/** An account as the one who acts, with the tier of now. Agents that share an address share its quota, and all of them a pool. */
export function toUserActor(ctx: Pick<Ctx, "config" | "now">, user: ActingUser, key: { id: string; scope: Scope }): UserActor {
  const tier = effectiveTier(user, ctx.now());
  const isBootstrap = user.agent_group !== null && tier === "free";
  return {
    kind: "user",
    tier,
    quotaOwner: isBootstrap ? `${AGENT_QUOTA_PREFIX}${user.agent_group}` : `user:${user.id}`,
    userId: user.id,
    username: user.username,
    scope: key.scope,
    keyId: key.id,
    isAgent: user.role === "agent",
    ...(isBootstrap && { poolBytes: ctx.config.bootstrapPoolBytes }),
  };
}
