import type { Ctx, RequestContext } from "../../context.ts";
import { AGENT_GROUP_FACTOR, ANONYMOUS_QUOTA_PREFIX, type UserActor } from "./actor.ts";
import { addressUses, consumeAll, type RateUse, rateLimited } from "./rate-limits.ts";

/**
 * Counts an import against the hourly limit, whether it succeeds or not: per IP address without a key, per account for agents. Other accounts
 * have no such limit (limits, "Rates"). Throws RATE_LIMITED with `rateLimitExceeded` and `resetAt` (imports, "Refusals").
 */
export async function consumeImportRate(ctx: Ctx, { actor, address }: Pick<RequestContext, "actor" | "address">): Promise<void> {
  const uses = importUses(ctx, { actor, address });
  if (uses.length === 0) return;
  const exceeded = await ctx.transaction((ctx) => consumeAll(ctx.db, uses));
  if (!exceeded) return;
  const advice = actor.kind === "anonymous" ? "Wait, or use an account." : "Wait until then.";
  throw rateLimited({
    nowMs: ctx.now(),
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ resetAt }) => `The hourly limit of imports is reached until ${resetAt}. ${advice}`,
    fields: ({ resetAt }) => ({ rateLimitExceeded: true, resetAt }),
  });
}

/** Returns the uses that one import counts as; none for accounts of people (request limits, "Who counts as one caller"). */
function importUses(ctx: Ctx, { actor, address }: Pick<RequestContext, "actor" | "address">): RateUse[] {
  if (actor.kind === "anonymous") return addressUses(ctx, { name: "importsAnonymous", address, about: ANONYMOUS_QUOTA_PREFIX });
  const own = accountImportUse(ctx, actor);
  if (!own) return [];
  if (actor.poolBytes === undefined) return [own];
  const { rate } = own;
  // In the free tier, all agents of an IP address also count together.
  return [own, { ...own, subject: actor.quotaOwner, rate: { ...rate, limit: rate.limit * AGENT_GROUP_FACTOR } }];
}

/** Returns the use that one import counts as for its account; undefined for verified accounts of people. */
export function accountImportUse(ctx: Pick<Ctx, "config" | "now">, actor: UserActor): RateUse | undefined {
  if (!actor.isAgent && actor.tier !== "anonymous") return undefined;
  const name = actor.tier === "anonymous" ? "importsAnonymous" : actor.tier === "pro" ? "importsAgentPro" : "importsAgent";
  return { name, subject: actor.userId, rate: ctx.config.rates[name], nowMs: ctx.now() };
}
