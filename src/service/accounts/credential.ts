import type { TransactionCtx } from "../../context.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { AppError } from "../../errors.ts";
import type { Actor, MachineActor } from "./actor.ts";

/**
 * Returns whether the key, session or application of a call still exists: the body may have arrived long after the head (accounts, "Authentication").
 * True for anonymous callers and for the machine.
 */
export async function isCredentialLive({ db, now }: Pick<TransactionCtx, "db" | "now">, actor: Actor | MachineActor): Promise<boolean> {
  if (actor.kind !== "user") return true;
  const { keyId, keyPrefix, sessionId, accessTokenId } = actor;
  if (keyId !== null) {
    const key = await keyQuery.first(db, { id: keyId, prefix: keyPrefix ?? "" });
    return key?.revoked_at === null && key.disabled_at === null;
  }
  if (accessTokenId !== undefined) {
    const token = await accessTokenQuery.first(db, { id: accessTokenId });
    return token?.disabled_at === null;
  }
  if (sessionId === null) return true;
  const session = await sessionQuery.first(db, { id: sessionId, nowMs: now() });
  return session?.disabled_at === null;
}

/** Throws UNAUTHENTICATED if the call's credential has ended since the request began (see `isCredentialLive`). */
export async function checkCredential(ctx: Pick<TransactionCtx, "db" | "now">, actor: Actor | MachineActor): Promise<void> {
  if (await isCredentialLive(ctx, actor)) return;
  throw new AppError(
    "UNAUTHENTICATED",
    "The key or session of this request has ended, or its account was disabled. Use another key, or sign in again.",
  );
}

/** Compares the prefix too, because a rotated key keeps its ID and gets another prefix. */
const keyQuery = preparedQuery((db, { id, prefix }: { id: string; prefix: string }) =>
  db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_id")
    .select(["api_keys.revoked_at", "users.disabled_at"])
    .where("api_keys.id", "=", id)
    .where("api_keys.prefix", "=", prefix),
);

const sessionQuery = preparedQuery((db, { id, nowMs }: { id: string; nowMs: number }) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select("users.disabled_at")
    .where("sessions.id", "=", id)
    .where("sessions.expires_at", ">", nowMs),
);

/** Does not compare the expiry, because a token that expires during a request was valid when the request began. */
const accessTokenQuery = preparedQuery((db, { id }: { id: string }) =>
  db
    .selectFrom("oauth_access_tokens")
    .innerJoin("users", "users.id", "oauth_access_tokens.user_id")
    .select("users.disabled_at")
    .where("oauth_access_tokens.id", "=", id),
);
