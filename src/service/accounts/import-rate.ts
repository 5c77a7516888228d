import type { RateName } from "../../config/rates.ts";
import type { Ctx, RequestContext } from "../../context.ts";
import { type Actor, AGENT_GROUP_FACTOR, type UserActor } from "./actor.ts";
import { addressUses, consumeAll, type RateUse, rateLimited } from "./rate-limits.ts";

/**
 * Counts an import against the hourly limit, whether it succeeds or not: per IP address without a key, per account for agents. Other accounts
 * have no such limit (limits, "Rates"). Throws RATE_LIMITED with `rateLimitExceeded` and `resetAt` (imports, "Refusals").
 */
export async function consumeImportRate(ctx: Ctx, { actor, address }: Pick<RequestContext, "actor" | "address">): Promise<void> {
  const key = toImportRateKey(actor);
  if (!key) return;
  const uses = actor.kind === "anonymous" ? addressUses(ctx, { name: key.name, address, about: "anon:" }) : agentUses(ctx, actor, key);
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

/** Counts for the agent's account and, in the free tier, for all agents of its IP address (request limits, "Who counts as one caller"). */
function agentUses(ctx: Pick<Ctx, "config" | "now">, actor: UserActor, key: { name: RateName; subject: string }): RateUse[] {
  const rate = ctx.config.rates[key.name];
  const own = { ...key, rate, nowMs: ctx.now() };
  if (actor.poolBytes === undefined) return [own];
  return [own, { ...own, subject: actor.quotaOwner, rate: { ...rate, limit: rate.limit * AGENT_GROUP_FACTOR } }];
}

/** The import limit of a caller and whom it counts; undefined for accounts of people. */
export function toImportRateKey(actor: Actor): { name: RateName; subject: string } | undefined {
  if (actor.kind === "anonymous") return { name: "importsAnonymous", subject: actor.quotaOwner };
  if (!actor.isAgent) return undefined;
  return { name: actor.tier === "pro" ? "importsAgentPro" : "importsAgent", subject: actor.userId };
}
