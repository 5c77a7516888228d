import { notFound } from "../../errors.ts";
import { redirectHost } from "../../lib/http/redirect-uri.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { includedScopes } from "./authorize.ts";
import { endConnection } from "./end-connections.ts";

/** `GET /auth/applications`. */
export const listApplications: Operation<"listApplications"> = async ({ db }, { actor }) => {
  const rows = await db
    .selectFrom("oauth_consents")
    .innerJoin("oauth_clients", "oauth_clients.client_id", "oauth_consents.client_id")
    .select(["oauth_consents.id", "oauth_clients.name", "oauth_consents.redirect_uri", "oauth_consents.scopes"])
    .select(["oauth_consents.created_at", "oauth_consents.used_at"])
    .where("oauth_consents.user_id", "=", requireUser(actor).userId)
    .orderBy("oauth_consents.used_at", "desc")
    .orderBy("oauth_consents.id")
    .execute();
  return rows.map(({ id, name, redirect_uri, scopes, created_at, used_at }) => ({
    id,
    name,
    host: redirectHost(redirect_uri),
    scopes: includedScopes(JSON.parse(scopes)),
    connectedAt: toIso(created_at),
    lastUsedAt: toIso(used_at),
  }));
};

/** `DELETE /auth/applications/{id}`: ends an application's tokens, and the codes that it has not exchanged. */
export const disconnectApplication: Operation<"disconnectApplication"> = async (ctx, call, { id }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const consent = await ctx.db
      .selectFrom("oauth_consents")
      .select("client_id")
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .executeTakeFirst();
    if (!consent) throw notFound("application", "List them with GET /auth/applications.", "in your account");
    const ended = await endConnection(ctx.db, { clientId: consent.client_id, userId });
    await ctx.db.updateTable("oauth_clients").set({ used_at: ctx.now() }).where("client_id", "=", consent.client_id).execute();
    await recordAudit(ctx, call, {
      action: "application.disconnected",
      subject: id,
      account: userId,
      details: { name: ended?.name, host: ended?.host },
    });
    return { id };
  });
};
