import type { Ctx } from "../context.ts";
import { isLiveKey } from "../db/keys.ts";
import type { Actor } from "../domain/actor.ts";
import { AppError } from "../errors.ts";
import { toUserActor } from "./user-actor.ts";

export interface BegunBy {
  readonly owner_id: string | null;
  readonly key_id: string | null;
  readonly quota_owner: string;
}

/**
 * Who began something that goes on by itself, with the rights of now: ask again at each step. Throws UNAUTHENTICATED where the account is
 * gone or disabled, or the key has been revoked (decisions, "Accounts, keys, tiers").
 */
export async function getOwnerActor(ctx: Pick<Ctx, "db" | "config" | "now">, begun: BegunBy): Promise<Actor> {
  if (begun.owner_id === null) return { kind: "anonymous", tier: "anonymous", quotaOwner: begun.quota_owner };
  const user = await ctx.db
    .selectFrom("users")
    .select(["id", "username", "tier", "pro_until", "disabled_at", "role", "agent_group"])
    .where("id", "=", begun.owner_id)
    .executeTakeFirst();
  if (!user || user.disabled_at !== null) throw accountDisabled();
  if (begun.key_id !== null && !(await isLiveKey(ctx.db, begun.key_id)))
    throw new AppError("UNAUTHENTICATED", "The API key that began this has been revoked. Begin it again with another key.");
  return toUserActor(ctx, user, { id: begun.key_id ?? "", scope: "files_write" });
}

/** What was begun for an account that is disabled now does not go on. */
export const accountDisabled = (): AppError => new AppError("UNAUTHENTICATED", "The account that began this is gone or disabled.");
