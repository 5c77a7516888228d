import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { ACCESS_TOKEN_PREFIX, findAccessToken, type ProtectedResource, toOAuthScope } from "./access-tokens.ts";
import { type Actor, anonymousQuotaOwner, requireUser, type Scope, scopeAllows } from "./actor.ts";
import { matchesApiKey, parseApiKey } from "./api-key.ts";
import { addressSubject, subnet48Subject } from "./rate-limits.ts";
import { findSignedIn, SESSION_PREFIX } from "./sessions.ts";
import { toUserActor } from "./user-actor.ts";

export interface Credential {
  readonly key: string | undefined;
  readonly address: string;
  /** The part of the service that the request is for. */
  readonly resource: ProtectedResource;
}

/**
 * Finds the caller by an API key, a session token or an application's access token. Throws UNAUTHENTICATED for an invalid credential, even if the
 * operation requires none.
 */
export async function authenticate(ctx: Ctx, { key, address, resource }: Credential): Promise<Actor> {
  if (key === undefined) return anonymousActor(ctx, address);
  if (key.startsWith(ACCESS_TOKEN_PREFIX)) return (await findAccessToken(ctx, key, resource)) ?? throwInvalidToken();
  if (key.startsWith(SESSION_PREFIX)) return (await findSignedIn(ctx, key))?.actor ?? throwEnded();
  const parsed = parseApiKey(key);
  const row = parsed && (await findKey(ctx, parsed.prefix));
  if (!parsed || !row || !matchesApiKey(parsed.secret, row) || row.revoked_at !== null || row.disabled_at !== null) throw invalidKey();
  await recordKeyUse(ctx, row);
  const credential = { scope: row.scope, keyId: row.id, keyPrefix: parsed.prefix, isAdminKey: row.is_admin_key === 1 };
  return toUserActor(ctx, { ...row, id: row.owner_id }, credential);
}

/** Returns the anonymous caller of an address. The quota owner is computed on demand, because few requests without a key need it. */
export function anonymousActor(ctx: Ctx, address: string): Actor {
  return {
    kind: "anonymous",
    tier: "anonymous",
    get quotaOwner() {
      return anonymousQuotaOwner({ own: addressSubject(ctx.keyring, address), subnet48: subnet48Subject(ctx.keyring, address) });
    },
  };
}

/** Throws UNAUTHENTICATED for an anonymous caller, and InsufficientScope if the scope of the key does not include `needed`. */
export function requireScope(actor: Actor, needed: Scope): void {
  const { scope, accessTokenId } = requireUser(actor);
  if (scopeAllows(scope, needed)) return;
  if (accessTokenId === undefined)
    throw new InsufficientScope(needed, `This key has the scope ${scope}. Use a key with the scope ${needed}.`);
  const [has, needs] = [toOAuthScope(scope), toOAuthScope(needed)];
  throw new InsufficientScope(needed, `This application may use the scope ${has}. Connect it again with the scope ${needs}.`);
}

/** The error INSUFFICIENT_SCOPE, with the scope that the operation requires. */
export class InsufficientScope extends AppError {
  constructor(
    readonly needed: Scope,
    message: string,
  ) {
    super("INSUFFICIENT_SCOPE", message);
  }
}

async function findKey(ctx: Ctx, prefix: string) {
  return await ctx.db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_id")
    .select([
      "api_keys.id",
      "api_keys.owner_id",
      "api_keys.salt",
      "api_keys.hash",
      "api_keys.scope",
      "api_keys.is_admin_key",
      "api_keys.revoked_at",
      "api_keys.last_used_at",
    ])
    .select([
      "users.username",
      "users.tier",
      "users.pro_until",
      "users.disabled_at",
      "users.role",
      "users.agent_group",
      "users.email_verified",
    ])
    .where("api_keys.prefix", "=", prefix)
    .executeTakeFirst();
}

/** Records the use at most once an hour per key, so that most requests write nothing. */
async function recordKeyUse(ctx: Ctx, row: { id: string; last_used_at: number | null }): Promise<void> {
  const nowMs = ctx.now();
  if (row.last_used_at !== null && nowMs - row.last_used_at < HOUR_MS) return;
  await ctx.db.updateTable("api_keys").set({ last_used_at: nowMs }).where("id", "=", row.id).execute();
}

function throwEnded(): never {
  throw new AppError("UNAUTHENTICATED", "This session has ended, or its account is disabled. Sign in again.");
}

function throwInvalidToken(): never {
  throw new AppError(
    "UNAUTHENTICATED",
    "This access token is not valid here: it has expired or ended, or is for another address. Refresh it, or connect the application again.",
  );
}

const invalidKey = (): AppError =>
  new AppError("UNAUTHENTICATED", "This API key is not valid: it is unknown or revoked, or its account is disabled. Use another key.");
