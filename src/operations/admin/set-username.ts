import { type RawBuilder, sql } from "kysely";
import type { Ctx, TxCtx } from "../../context.ts";
import { change } from "./change-user.ts";
import { getUser } from "./get-user.ts";
import type { UserView } from "./user-view.ts";
import { checkUsername, checkUsernameFree } from "./username.ts";

/**
 * Gives an account a username, in place of one that it had; null removes it, and makes its public shares unlisted, those of uploads under
 * way too. Throws NOT_FOUND, VALIDATION_FAILED, or CONFLICT where another account has the name.
 */
export async function setUsername(ctx: Ctx, named: string, wanted: string | null): Promise<UserView> {
  const username = wanted === null ? null : checkUsername(wanted);
  return await ctx.tx(async (ctx) => {
    const user = await getUser(ctx.db, named);
    if (username === null) await unlistShares(ctx, user.id);
    else await checkUsernameFree(ctx, username, user.id);
    return await change(ctx, user, { username });
  });
}

/** A share that is not public is not kept forever either: it expires by the rule of the tier. */
async function unlistShares(ctx: TxCtx, ownerId: string): Promise<void> {
  const { db } = ctx;
  await db
    .updateTable("shares")
    .set({ visibility: "unlisted", retention: "ttl" })
    .where("owner_id", "=", ownerId)
    .where("visibility", "=", "public")
    .execute();
  await db
    .updateTable("upload_sessions")
    .set({ publish: UNLISTED })
    .where("state", "<>", "completed")
    .where(IS_PUBLIC)
    .where("file_id", "in", (query) => query.selectFrom("files").select("id").where("owner_id", "=", ownerId))
    .execute();
  await db.updateTable("delegations").set({ publish: UNLISTED }).where("owner_id", "=", ownerId).where(IS_PUBLIC).execute();
  await db
    .updateTable("imports")
    .set({ publish: UNLISTED })
    .where("owner_id", "=", ownerId)
    .where("ended_at", "is", null)
    .where(IS_PUBLIC)
    .execute();
}

/** How a share will be published is kept as JSON until its bytes are there. */
const IS_PUBLIC = sql<boolean>`publish ->> 'visibility' = 'public'`;
const UNLISTED: RawBuilder<string> = sql`json_set(publish, '$.visibility', 'unlisted', '$.retention', 'ttl')`;
