import { notFound } from "../../../errors.ts";
import { toIso } from "../../../lib/text/iso-time.ts";
import { requireUser } from "../../accounts/actor.ts";
import { requireProof } from "../../accounts/proof-of-identity.ts";
import { recordAudit } from "../../audit-log/record-audit.ts";
import { commitResponse } from "../../idempotency.ts";
import type { Operation } from "../../operation.ts";
import { requireSession } from "../sessions.ts";
import { requireOtherWay } from "../sign-in-methods.ts";
import { issuerName, issuerOf, listSignInMethods } from "./identities.ts";

/** `GET /auth/connections`: lists the account's identities at providers, oldest first. */
export const listConnections: Operation<"listConnections"> = async (ctx, { actor }) => {
  const { oidc } = ctx.config;
  const methods = await listSignInMethods(ctx.db, requireUser(actor).userId);
  return methods.flatMap(({ id, provider_id, created_at }) => {
    const issuer = issuerOf(provider_id);
    if (issuer === undefined) return [];
    const isUsable = issuer === oidc?.issuer;
    return [{ id, provider: issuerName(ctx, issuer), createdAt: toIso(created_at), isUsable }];
  });
};

/** `DELETE /auth/connections/{id}`: disconnects an identity, unless the account could not sign in without it. */
export const disconnect: Operation<"disconnect"> = async (ctx, call, { id }) => {
  const actor = requireUser(call.actor);
  requireSession(actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const { db } = ctx;
    const methods = await listSignInMethods(db, actor.userId);
    if (!methods.some((method) => method.id === id && issuerOf(method.provider_id) !== undefined))
      throw notFound("connection", "List them with GET /auth/connections.", "in your account");
    await requireOtherWay(ctx, actor.userId, id);
    requireProof(ctx, call);
    await db.deleteFrom("sign_in_methods").where("id", "=", id).execute();
    await db.deleteFrom("pending_sign_ins").where("user_id", "=", actor.userId).execute();
    await recordAudit(ctx, call, { action: "account.provider_disconnected", subject: actor.userId, account: actor.userId });
    return { id };
  });
};
