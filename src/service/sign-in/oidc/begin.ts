import type { Ctx, RequestContext } from "../../../context.ts";
import { AppError, notFound } from "../../../errors.ts";
import type { ProviderError } from "../../../net/identity-provider.ts";
import { requireUser } from "../../accounts/actor.ts";
import { countCode, needsCodeAfterProvider, useCode } from "../second-factor.ts";
import { checksOf, insertFlow, type NewFlow, newFlowSecret } from "./flows.ts";

export interface BegunFlow {
  /** The secret for a cookie of the browser. */
  readonly secret: string;
  /** The URL of the provider's page. */
  readonly url: URL;
}

/** Begins a sign-in at the configured provider. Throws NOT_FOUND if there is none, and ProviderError. */
export async function beginAtProvider(ctx: Ctx, flow: NewFlow): Promise<BegunFlow> {
  if (!ctx.identityProvider) throw notFound("provider", "The administrator has not configured one.");
  const secret = newFlowSecret(ctx);
  const url = await ctx.identityProvider.authorizationUrl(checksOf(secret), { isProof: flow.purpose === "prove" });
  await insertFlow(ctx, secret, flow);
  return { secret, url };
}

/**
 * Begins a proof at the provider for the session of the request. An account with two-step sign-in sends its code now, because a provider's page that
 * is still signed in is not a sufficient proof. Throws SECOND_FACTOR_REQUIRED, FORBIDDEN, RATE_LIMITED and as `beginAtProvider` does.
 */
export async function beginProof(
  ctx: Ctx,
  call: RequestContext,
  { code, next }: { readonly code: string; readonly next: string | null },
): Promise<BegunFlow> {
  const { userId, sessionId } = requireUser(call.actor);
  // Contacts the provider before the code is used up, because the provider may not respond.
  const begun = await beginAtProvider(ctx, { purpose: "prove", session_id: sessionId, invite_hash: null, next });
  if (!(await needsCodeAfterProvider(ctx, userId))) return begun;
  if (code === "") throw new AppError("SECOND_FACTOR_REQUIRED", "This account also needs a code. Enter it before you continue.");
  await countCode(ctx, call, userId);
  await ctx.transaction((ctx) => useCode(ctx, userId, code));
  return begun;
}

/** Logs the reason why the provider cannot be used. The page does not show it. */
export function logProviderError({ log, config }: Pick<Ctx, "log" | "config">, { kind, message }: ProviderError): void {
  if (kind !== "cancelled") log.warn({ issuer: config.oidc?.issuer, reason: message }, "sign-in at the provider failed");
}
