import type { TransactionCtx } from "../../context.ts";
import type { TransactionDb } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { listSignInMethods, providerId } from "./oidc/identities.ts";
import { listPasskeyRows } from "./passkeys/queries.ts";
import { findRelyingParty } from "./passkeys/relying-party.ts";

/** Throws CONFLICT if the account could not sign in without the identity or passkey of this ID. */
export async function requireOtherWay(ctx: Pick<TransactionCtx, "db" | "config" | "urls">, userId: string, id: string): Promise<void> {
  const { oidc } = ctx.config;
  const usable = ["credential", ...(oidc ? [providerId(oidc.issuer)] : [])];
  const methods = (await listSignInMethods(ctx.db, userId)).filter(({ provider_id }) => usable.includes(provider_id));
  const host = findRelyingParty(ctx)?.id;
  const passkeys = (await listPasskeyRows(ctx.db, userId)).filter(({ rp_id }) => rp_id === host);
  if ([...methods, ...passkeys].some((way) => way.id !== id)) return;
  throw new AppError("CONFLICT", "The account has no other way to sign in. Set a password or add a passkey first.");
}

/** Deletes all sign-in methods of an account except its password. */
export async function deleteOtherMethods(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("sign_in_methods").where("user_id", "=", userId).where("provider_id", "<>", "credential").execute();
  await db.deleteFrom("passkeys").where("user_id", "=", userId).execute();
}

/**
 * Deletes all sign-in methods of an account: its password, identities at providers, passkeys and one-time links, and sign-ins that wait for a code.
 */
export async function deleteSignInMethods(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("sign_in_methods").where("user_id", "=", userId).execute();
  await db.deleteFrom("passkeys").where("user_id", "=", userId).execute();
  await db.deleteFrom("account_links").where("user_id", "=", userId).execute();
  await db.deleteFrom("pending_sign_ins").where("user_id", "=", userId).execute();
}
