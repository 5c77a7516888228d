import type { Call, Ctx } from "../../context.ts";
import { type RateUse, takeAll } from "../../db/rate-windows.ts";
import { type Actor, AGENT_GROUP_FACTOR, type UserActor } from "../../domain/actor.ts";
import { rateLimited } from "../../domain/rate-limited.ts";
import type { RateName } from "../../domain/rates.ts";
import { addressUses } from "../address-uses.ts";

/**
 * Counts an accepted attempt to import, whatever comes of it: by address without a key, by account for agents; people with an account have
 * no cap of their own (interface, "Limits"). Throws RATE_LIMITED with `rateLimitExceeded` and `resetAt` (interface, "Errors").
 */
export async function takeImportRate(ctx: Ctx, { actor, address }: Pick<Call, "actor" | "address">): Promise<void> {
  const counted = countedAs(actor);
  if (!counted) return;
  const uses =
    actor.kind === "anonymous" ? addressUses(ctx, { name: counted.name, address, about: "anon:" }) : agentUses(ctx, actor, counted);
  const refusal = await ctx.tx((ctx) => takeAll(ctx.db, uses));
  if (!refusal) return;
  const advice = actor.kind === "anonymous" ? "Wait, or use an account." : "Wait until then.";
  throw rateLimited({
    nowMs: ctx.now(),
    resetsAtMs: refusal.resetsAtMs,
    message: ({ resetAt }) => `The hourly number of imports is used up until ${resetAt}. ${advice}`,
    fields: ({ resetAt }) => ({ rateLimitExceeded: true, resetAt }),
  });
}

/** An agent's own account and, in the free tier, all agents of its address (request limits, "Who counts as one caller"). */
function agentUses(ctx: Pick<Ctx, "config" | "now">, actor: UserActor, counted: { name: RateName; subject: string }): RateUse[] {
  const rate = ctx.config.rates[counted.name];
  const own = { ...counted, rate, nowMs: ctx.now() };
  if (actor.poolBytes === undefined) return [own];
  return [own, { ...own, subject: actor.quotaOwner, rate: { ...rate, limit: rate.limit * AGENT_GROUP_FACTOR } }];
}

/** The cap on imports that holds for a caller; undefined for people with an account. */
export function countedAs(actor: Actor): { name: RateName; subject: string } | undefined {
  if (actor.kind === "anonymous") return { name: "importsAnonymous", subject: actor.quotaOwner };
  if (!actor.isAgent) return undefined;
  return { name: actor.tier === "pro" ? "importsAgentPro" : "importsAgent", subject: actor.userId };
}
