import type { Ctx } from "../../../context.ts";
import { notFound } from "../../../errors.ts";
import type { ProviderError } from "../../../net/identity-provider.ts";
import { checksOf, insertFlow, type NewFlow, newFlowSecret } from "./flows.ts";

export interface BegunFlow {
  /** For a cookie of the browser. */
  readonly secret: string;
  /** The provider's page. */
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

/** Logs why the provider cannot be used; its page says less. */
export function logProviderError({ log, config }: Pick<Ctx, "log" | "config">, { kind, message }: ProviderError): void {
  if (kind !== "cancelled") log.warn({ issuer: config.oidc?.issuer, reason: message }, "sign-in at the provider failed");
}
