import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/actor.ts";
import { getUser } from "./get-user.ts";
import { toIso } from "./user-view.ts";

/** A key as an administrator sees it: never the key itself. */
export interface KeyView {
  readonly id: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly label: string | null;
  readonly userId: string;
  readonly email: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** The keys of one account, or all; oldest first. Throws NOT_FOUND for an unknown account. */
export async function listKeys(ctx: Ctx, { user: named }: { user?: string | undefined } = {}): Promise<KeyView[]> {
  const owner = named === undefined ? undefined : (await getUser(ctx.db, named)).id;
  const keys = await ctx.db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_id")
    .selectAll("api_keys")
    .select("users.email")
    .$if(owner !== undefined, (query) => query.where("api_keys.owner_id", "=", owner ?? ""))
    .orderBy("api_keys.created_at")
    .orderBy("api_keys.id")
    .execute();
  return keys.map((key) => ({
    id: key.id,
    prefix: `bc_${key.prefix}`,
    scope: key.scope,
    label: key.label,
    userId: key.owner_id,
    email: key.email,
    createdAt: new Date(key.created_at).toISOString(),
    lastUsedAt: toIso(key.last_used_at),
    revokedAt: toIso(key.revoked_at),
  }));
}
