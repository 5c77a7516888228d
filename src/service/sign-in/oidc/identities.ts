import type { TransactionCtx } from "../../../context.ts";
import type { Db } from "../../../db/database.ts";
import type { UserRow } from "../../../db/tables/accounts.ts";
import { newUuid } from "../../../lib/secrets/ids.ts";

const PREFIX = "oidc:";

/** Returns the ID of a provider in `sign_in_methods`. It contains the issuer, because a subject is meaningless at another issuer. */
export const providerId = (issuer: string): string => PREFIX + issuer;

/** Returns the issuer of a provider's identity; undefined for other ways to sign in. */
export const issuerOf = (id: string): string | undefined => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined);

/** Returns the displayed name of an issuer: the configured provider's name, or another issuer's host. */
export const issuerName = ({ config: { oidc } }: Pick<TransactionCtx, "config">, issuer: string): string =>
  issuer === oidc?.issuer ? oidc.name : (URL.parse(issuer)?.host ?? issuer);

/** A person's identity at the configured provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Finds the account that an identity is connected to. */
export async function findUserOfIdentity(db: Db, { issuer, subject }: ProviderIdentity): Promise<UserRow | undefined> {
  return await db
    .selectFrom("sign_in_methods")
    .innerJoin("users", "users.id", "sign_in_methods.user_id")
    .selectAll("users")
    .where("sign_in_methods.provider_id", "=", providerId(issuer))
    .where("sign_in_methods.account_id", "=", subject)
    .executeTakeFirst();
}

/** Connects an identity to an account. */
export async function insertIdentity(
  { db, now, random }: TransactionCtx,
  userId: string,
  { issuer, subject }: ProviderIdentity,
): Promise<void> {
  const nowMs = now();
  const method = { id: newUuid(random, nowMs), user_id: userId, account_id: subject, provider_id: providerId(issuer) };
  await db
    .insertInto("sign_in_methods")
    .values({ ...method, created_at: nowMs, updated_at: nowMs })
    .execute();
}

/** Returns the password and the identities with which an account signs in, oldest first. */
export async function listSignInMethods(db: Db, userId: string) {
  return await db
    .selectFrom("sign_in_methods")
    .select(["id", "provider_id", "created_at"])
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}
