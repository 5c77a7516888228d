import { AppError, notFound } from "../../../errors.ts";
import { toIso } from "../../../lib/iso-time.ts";
import { requireUser } from "../../accounts/actor.ts";
import { requireProof } from "../../accounts/proof.ts";
import { recordAudit } from "../../audit-log/record-audit.ts";
import { commitResponse } from "../../idempotency.ts";
import type { Operation } from "../../operation.ts";
import { requireSession } from "../sessions.ts";
import { issuerOf, listSignInMethods, providerId } from "./identities.ts";

/** `GET /auth/connections`: lists the account's identities at providers, oldest first. */
export const listConnections: Operation<"listConnections"> = async (ctx, { actor }) => {
  const { oidc } = ctx.config;
  const methods = await listSignInMethods(ctx.db, requireUser(actor).userId);
  return methods.flatMap(({ id, provider_id, created_at }) => {
    const issuer = issuerOf(provider_id);
    if (issuer === undefined) return [];
    const isUsable = issuer === oidc?.issuer;
    return [{ id, provider: isUsable ? oidc.name : (URL.parse(issuer)?.host ?? issuer), createdAt: toIso(created_at), isUsable }];
  });
};

/** `DELETE /auth/connections/{id}`: disconnects an identity, unless the account could not sign in without it. */
export const disconnect: Operation<"disconnect"> = async (ctx, call, { id }) => {
  const actor = requireUser(call.actor);
  requireSession(actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const { db, config } = ctx;
    const methods = await listSignInMethods(db, actor.userId);
    if (!methods.some((method) => method.id === id && issuerOf(method.provider_id) !== undefined))
      throw notFound("connection", "List them with GET /auth/connections.", "in your account");
    const usable = ["credential", ...(config.oidc ? [providerId(config.oidc.issuer)] : [])];
    if (!methods.some((method) => method.id !== id && usable.includes(method.provider_id)))
      throw new AppError("CONFLICT", "The account has no other way to sign in. Set a password first.");
    requireProof(ctx, call);
    await db.deleteFrom("sign_in_methods").where("id", "=", id).execute();
    await recordAudit(ctx, call, { action: "account.provider_disconnected", subject: actor.userId, account: actor.userId });
    return { id };
  });
};
