import { type SqlBool, sql } from "kysely";
import type { Ctx } from "../../context.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { AGENT_QUOTA_PREFIX } from "./actor.ts";
import { deleteOldChallenges } from "./queries.ts";
import { deleteEmptyQuotas } from "./quotas.ts";

const BATCH_SIZE = 200;
/** Time without a file after which an agent is deleted. Rows of deleted files stay as long, so an agent without rows had no file in that time. */
const IDLE_MS = 30 * DAY_MS;
/** Retention of expired challenges, so that EXPIRED_CHALLENGE can be distinguished from INVALID_CHALLENGE. */
const CHALLENGE_RETENTION_MS = DAY_MS;

/** Deletes self-registered agents without a file in 30 days (agents, "What an agent may do"). Resolves to the number of deleted agents. */
export async function deleteIdleAgents(ctx: Ctx): Promise<number> {
  await deleteOldChallenges(ctx.db, ctx.now() - CHALLENGE_RETENTION_MS);
  let deleted = 0;
  for (let after = ""; ; ) {
    const ids = await listIdleAgents(ctx, after);
    for (const id of ids) if (await deleteAgent(ctx, id)) deleted += 1;
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
  }
  await deleteEmptyQuotas(ctx.db, AGENT_QUOTA_PREFIX);
  return deleted;
}

/** Lists a batch of agents by ID, which is the order of their registration. */
async function listIdleAgents(ctx: Pick<Ctx, "db" | "now">, after: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom("users")
    .select("id")
    .where(sql<SqlBool>`role = 'agent'`)
    .where("tier", "=", "free")
    .where("created_at", "<=", ctx.now() - IDLE_MS)
    .where("id", ">", after)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom("files").select("files.id").whereRef("files.owner_id", "=", "users.id"))))
    .orderBy("id")
    .limit(BATCH_SIZE)
    .execute();
  return rows.map((row) => row.id);
}

async function deleteAgent(ctx: Ctx, id: string): Promise<boolean> {
  try {
    return await ctx.transaction(async (ctx) => {
      const file = await ctx.db.selectFrom("files").select("id").where("owner_id", "=", id).limit(1).executeTakeFirst();
      if (file) return false;
      await ctx.db.deleteFrom("shares").where("owner_id", "=", id).execute();
      const { numDeletedRows } = await ctx.db.deleteFrom("users").where("id", "=", id).executeTakeFirst();
      return numDeletedRows === 1n;
    });
  } catch (error) {
    ctx.log.error({ err: error, userId: id }, "deleting an idle agent failed; retrying later");
    return false;
  }
}
