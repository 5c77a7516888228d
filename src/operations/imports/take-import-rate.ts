import type { Call, Ctx } from "../../context.ts";
import { takeAll } from "../../db/rate-windows.ts";
import type { Actor } from "../../domain/actor.ts";
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
  const own = { ...counted, rate: ctx.config.rates[counted.name], nowMs: ctx.now() };
  const uses = actor.kind === "anonymous" ? addressUses(ctx, { name: counted.name, address, about: "anon:" }) : [own];
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

/** The cap on imports that holds for a caller; undefined for people with an account. */
export function countedAs(actor: Actor): { name: RateName; subject: string } | undefined {
  if (actor.kind === "anonymous") return { name: "importsAnonymous", subject: actor.quotaOwner };
  if (!actor.isAgent) return undefined;
  return { name: actor.tier === "pro" ? "importsAgentPro" : "importsAgent", subject: actor.userId };
}
