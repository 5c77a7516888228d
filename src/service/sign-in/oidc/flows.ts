import type { Ctx } from "../../../context.ts";
import type { ProviderFlowRow } from "../../../db/tables/sign-in.ts";
import { newSecret } from "../../../lib/secrets/ids.ts";
import { hashToken } from "../../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../../lib/text/duration.ts";
import type { SignInChecks } from "../../../net/identity-provider.ts";

/** Maximum duration of a sign-in at the provider (accounts, "OpenID Connect"). */
export const FLOW_MS = 15 * MINUTE_MS;

/** The purpose of a sign-in, and its next page. */
export type NewFlow = Pick<ProviderFlowRow, "purpose" | "session_id" | "invite_hash" | "next">;

/** Returns the secret of a sign-in, which only the browser stores. */
export const newFlowSecret = (ctx: Pick<Ctx, "random">): string => newSecret(ctx.random, "flow_");

/** Returns the values that the provider's response must match. They are derived from the browser's secret and not stored. */
export const checksOf = (secret: string): SignInChecks => ({
  state: hashToken(`state:${secret}`),
  nonce: hashToken(`nonce:${secret}`),
  codeVerifier: hashToken(`verifier:${secret}`),
});

export async function insertFlow(ctx: Pick<Ctx, "db" | "now">, secret: string, flow: NewFlow): Promise<void> {
  const nowMs = ctx.now();
  await ctx.db
    .insertInto("provider_flows")
    .values({ ...flow, id: hashToken(secret), created_at: nowMs, expires_at: nowMs + FLOW_MS })
    .execute();
}

/** Uses up the sign-in of a secret; undefined if it is unknown, used or expired. */
export async function takeFlow(ctx: Pick<Ctx, "db" | "now">, secret: string): Promise<ProviderFlowRow | undefined> {
  const flow = await ctx.db.deleteFrom("provider_flows").where("id", "=", hashToken(secret)).returningAll().executeTakeFirst();
  return flow !== undefined && flow.expires_at > ctx.now() ? flow : undefined;
}

/** Deletes sign-ins from which the browser did not return. */
export async function deleteExpiredFlows({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("provider_flows").where("expires_at", "<=", now()).execute();
}
