import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { redirectHost } from "../../lib/http/redirect-uri.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { type ApplicationConnection, deleteCodes, deleteExpiredCodes } from "./codes.ts";
import { deleteUnusedClients } from "./unused-clients.ts";

/** A connection that has ended. */
export interface EndedConnection {
  readonly id: string;
  /** The name that the application gives itself. */
  readonly name: string;
  readonly host: string | null;
}

/**
 * Ends an application's connection to an account: its tokens, its codes and the consent, with which its delegations and imports end. Resolves to the
 * ended connection, if there was one.
 */
export async function endConnection(
  db: TransactionCtx["db"],
  { clientId, userId }: ApplicationConnection,
): Promise<EndedConnection | undefined> {
  const consent = await db
    .selectFrom("oauth_consents")
    .innerJoin("oauth_clients", "oauth_clients.client_id", "oauth_consents.client_id")
    .select(["oauth_consents.id", "oauth_consents.redirect_uri", "oauth_clients.name"])
    .where("oauth_consents.client_id", "=", clientId)
    .where("oauth_consents.user_id", "=", userId)
    .executeTakeFirst();
  await db.deleteFrom("oauth_access_tokens").where("client_id", "=", clientId).where("user_id", "=", userId).execute();
  await db.deleteFrom("oauth_refresh_tokens").where("client_id", "=", clientId).where("user_id", "=", userId).execute();
  await deleteCodes(db, { clientId, userId });
  if (!consent) return undefined;
  await db.deleteFrom("oauth_consents").where("id", "=", consent.id).execute();
  return { id: consent.id, name: consent.name, host: redirectHost(consent.redirect_uri) };
}

/** Maximum number of used refresh tokens that are kept per connection. The server does not recognize older ones. */
const MAX_ROTATED_TOKENS = 100;

/** Deletes the oldest replaced refresh tokens of a connection, with the access tokens that were issued with them. */
export async function trimRotatedTokens(db: TransactionCtx["db"], { clientId, userId }: ApplicationConnection): Promise<void> {
  const surplus = db
    .selectFrom("oauth_refresh_tokens")
    .select("id")
    .where("user_id", "=", userId)
    .where("client_id", "=", clientId)
    .where("revoked", "is not", null)
    // IDs have the order in which the tokens were issued.
    .orderBy("id", "desc")
    .limit(1000)
    .offset(MAX_ROTATED_TOKENS);
  await db.deleteFrom("oauth_refresh_tokens").where("id", "in", surplus).execute();
}

/** Ends all connections of an account. */
export async function deleteConnections(db: TransactionCtx["db"], userId: string): Promise<void> {
  const consents = await db.selectFrom("oauth_consents").select("client_id").where("user_id", "=", userId).execute();
  for (const { client_id } of consents) await endConnection(db, { clientId: client_id, userId });
}

/** Deletes expired tokens, consents whose last refresh token was among them, and unused applications. */
export async function deleteUnusedConnections({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  const nowMs = now();
  await db.deleteFrom("oauth_access_tokens").where("expires_at", "<=", nowMs).execute();
  await db.deleteFrom("oauth_refresh_tokens").where("expires_at", "<=", nowMs).execute();
  await deleteUnusedConsents(db, nowMs);
  // Keeps expired codes for an hour, so that a late program learns that its code has expired.
  await deleteExpiredCodes(db, nowMs - HOUR_MS);
  await deleteUnusedClients(db, nowMs);
}

/** Deletes unused consents, but not new ones, which have no tokens until their code is exchanged. */
async function deleteUnusedConsents(db: Db, nowMs: number): Promise<void> {
  await db
    .deleteFrom("oauth_consents")
    .where("updated_at", "<=", nowMs - HOUR_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("oauth_refresh_tokens")
            .select("id")
            .whereRef("oauth_refresh_tokens.user_id", "=", "oauth_consents.user_id")
            .whereRef("oauth_refresh_tokens.client_id", "=", "oauth_consents.client_id"),
        ),
      ),
    )
    .execute();
}
