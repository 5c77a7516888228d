import type { Ctx } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import { AppError } from "../errors.ts";
import { toUserActor } from "./user-actor.ts";

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
  return toUserActor(ctx, user, { id: begun.key_id ?? "", scope: "files_write" });
}
