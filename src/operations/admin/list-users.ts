import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import { toUserView, type UserView } from "./user-view.ts";

/** An account and the storage that it uses. */
export interface ListedUser extends UserView {
  readonly usedBytes: number;
}

/** All accounts, oldest first. */
export async function listUsers(ctx: Ctx): Promise<ListedUser[]> {
  const users = await ctx.db
    .selectFrom("users")
    .leftJoin("quotas", (join) => join.on("quotas.owner", "=", sql<string>`'user:' || users.id`))
    .selectAll("users")
    .select("quotas.used_bytes")
    .orderBy("users.created_at")
    .orderBy("users.id")
    .execute();
  return users.map((user) => ({ ...toUserView(user, ctx.now()), usedBytes: user.used_bytes ?? 0 }));
}
