import { type SqlBool, sql } from "kysely";
import type { Ctx } from "../../context.ts";
import { removeChallenges } from "../../db/challenges.ts";
import { removeEmptyQuotas } from "../../db/quotas.ts";
import { AGENT_QUOTA_PREFIX } from "../../domain/actor.ts";
import { DAY_MS } from "../../domain/ttl.ts";

const BATCH = 200;
/** How long an agent may be without a file. The rows of files that have gone stay as long, so whoever has none has had none. */
const IDLE_MS = 30 * DAY_MS;
/** A challenge that expired is told apart from one that never was for so long. */
const KEEP_CHALLENGE_MS = DAY_MS;

/** Removes agents that registered themselves and have had no file for 30 days (decisions, "Accounts, keys, tiers"). Resolves to how many. */
export async function removeAgents(ctx: Ctx): Promise<number> {
  await removeChallenges(ctx.db, ctx.now() - KEEP_CHALLENGE_MS);
  let removed = 0;
  for (let after = ""; ; ) {
    const ids = await listIdle(ctx, after);
    for (const id of ids) if (await removeAgent(ctx, id)) removed += 1;
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
  }
  await removeEmptyQuotas(ctx.db, AGENT_QUOTA_PREFIX);
  return removed;
}

/** Ids are in the order of registration. */
async function listIdle(ctx: Pick<Ctx, "db" | "now">, after: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom("users")
    .select("id")
    .where(sql<SqlBool>`role = 'agent'`)
    .where("tier", "=", "free")
    .where("created_at", "<=", ctx.now() - IDLE_MS)
    .where("id", ">", after)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom("files").select("files.id").whereRef("files.owner_id", "=", "users.id"))))
    .orderBy("id")
    .limit(BATCH)
    .execute();
  return rows.map((row) => row.id);
}

async function removeAgent(ctx: Ctx, id: string): Promise<boolean> {
  try {
    return await ctx.tx(async (ctx) => {
      const file = await ctx.db.selectFrom("files").select("id").where("owner_id", "=", id).limit(1).executeTakeFirst();
      if (file) return false;
      await ctx.db.deleteFrom("shares").where("owner_id", "=", id).execute();
      const { numDeletedRows } = await ctx.db.deleteFrom("users").where("id", "=", id).executeTakeFirst();
      return numDeletedRows === 1n;
    });
  } catch (error) {
    ctx.log.error({ err: error, userId: id }, "removing an idle agent failed; it will be tried again");
    return false;
  }
}
