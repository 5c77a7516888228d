import type { Ctx } from "../context.ts";
import { type Actor, AGENT_QUOTA_PREFIX } from "../domain/actor.ts";
import { effectiveTier } from "../domain/tiers.ts";
import { AppError } from "../errors.ts";

export interface BegunBy {
  readonly owner_id: string | null;
  readonly key_id: string | null;
  readonly quota_owner: string;
}

/** Who began something that goes on by itself, with the rights of now. Throws UNAUTHENTICATED where the account is gone or disabled. */
export async function getOwnerActor(ctx: Ctx, begun: BegunBy): Promise<Actor> {
  if (begun.owner_id === null) return { kind: "anonymous", tier: "anonymous", quotaOwner: begun.quota_owner };
  const user = await ctx.db
    .selectFrom("users")
    .select(["id", "username", "tier", "pro_until", "disabled_at", "role", "agent_group"])
    .where("id", "=", begun.owner_id)
    .executeTakeFirst();
  if (!user || user.disabled_at !== null) throw new AppError("UNAUTHENTICATED", "The account that began this is gone or disabled.");
  const tier = effectiveTier(user, ctx.now());
  const isBootstrap = user.agent_group !== null && tier === "free";
  return {
    kind: "user",
    tier,
    quotaOwner: isBootstrap ? `${AGENT_QUOTA_PREFIX}${user.agent_group}` : `user:${user.id}`,
    userId: user.id,
    username: user.username,
    scope: "files_write",
    keyId: begun.key_id ?? "",
    isAgent: user.role === "agent",
    ...(isBootstrap && { poolBytes: ctx.config.bootstrapPoolBytes }),
  };
}
