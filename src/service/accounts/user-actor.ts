import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { type Actor, AGENT_QUOTA_PREFIX, type Scope, type UserActor, userSubject } from "./actor.ts";
import { effectiveTier } from "./pro-end.ts";
import { isLiveConsent, isLiveKey } from "./queries.ts";

export type ActingUser = Pick<UserRow, "id" | "username" | "tier" | "pro_until" | "role" | "agent_group" | "email_verified">;

/** Returns whether an account has only the limits of anonymous callers, until its owner has opened the link in a mail (accounts, "Verification"). */
export const isUnverified = (
  { config }: Pick<Ctx, "config">,
  { email_verified, role }: Pick<UserRow, "email_verified" | "role">,
): boolean => config.mail !== undefined && email_verified === 0 && role !== "agent";

/** Returns the account as an actor, with its current tier. Agents of one IP address share a quota, and all agents share a pool. */
export function toUserActor(
  ctx: Pick<Ctx, "config" | "now">,
  user: ActingUser,
  credential: {
    scope: Scope;
    keyId?: string;
    keyPrefix?: string;
    isAdminKey?: boolean;
    sessionId?: string;
    provedAtMs?: number | null;
    accessTokenId?: string;
    consentId?: string;
  },
): UserActor {
  const paid = effectiveTier(user, ctx.now());
  const needsVerification = isUnverified(ctx, user);
  const tier = paid === "free" && needsVerification ? "anonymous" : paid;
  const isFreeAgent = user.agent_group !== null && tier === "free";
  return {
    kind: "user",
    tier,
    isUnverified: needsVerification,
    quotaOwner: isFreeAgent ? `${AGENT_QUOTA_PREFIX}${user.agent_group}` : userSubject(user.id),
    userId: user.id,
    username: user.username,
    scope: credential.scope,
    keyId: credential.keyId ?? null,
    keyPrefix: credential.keyPrefix,
    sessionId: credential.sessionId ?? null,
    ...(credential.accessTokenId !== undefined && { accessTokenId: credential.accessTokenId }),
    ...(credential.consentId !== undefined && { consentId: credential.consentId }),
    ...(credential.provedAtMs != null && { provedAtMs: credential.provedAtMs }),
    isAgent: user.role === "agent",
    isAdministrator: user.role === "admin",
    isAdminKey: credential.isAdminKey,
    ...(isFreeAgent && { poolBytes: ctx.config.bootstrapPoolBytes }),
  };
}

/** The credentials with which an upload, import or delegation was created. */
export interface CreatedBy {
  readonly owner_id: string | null;
  readonly key_id: string | null;
  readonly consent_id: string | null;
  readonly quota_owner: string;
}

/** Returns the account itself as the creator, for example for a request, whichever credential created the row. */
export const byAccount = (ownerId: string | null): CreatedBy => ({ owner_id: ownerId, key_id: null, consent_id: null, quota_owner: "" });

/**
 * Returns the creator of background work with current rights; callers check at each step. Throws UNAUTHENTICATED if the account was deleted or
 * disabled, the key revoked or the application disconnected (imports, "Interruptions"; accounts, "A disabled account").
 */
export async function getOwnerActor(ctx: Pick<Ctx, "db" | "config" | "now">, createdBy: CreatedBy): Promise<Actor> {
  if (createdBy.owner_id === null) return { kind: "anonymous", tier: "anonymous", quotaOwner: createdBy.quota_owner };
  const user = await ctx.db
    .selectFrom("users")
    .select(["id", "username", "tier", "pro_until", "disabled_at", "role", "agent_group", "email_verified"])
    .where("id", "=", createdBy.owner_id)
    .executeTakeFirst();
  if (!user || user.disabled_at !== null) throw accountDisabled();
  const ended = await findEnded(ctx.db, createdBy);
  if (ended !== undefined) throw new AppError("UNAUTHENTICATED", ENDED[ended]);
  return toUserActor(ctx, user, { scope: "files_write" });
}

const ENDED = {
  key: "The API key that started this has been revoked. Start again with another key.",
  application: "The application that started this has been disconnected. Start again.",
} as const;

/** Finds the credential of a creator that has ended; undefined if none has. */
export async function findEnded(
  db: Db,
  { key_id, consent_id }: Pick<CreatedBy, "key_id" | "consent_id">,
): Promise<keyof typeof ENDED | undefined> {
  if (key_id !== null && !(await isLiveKey(db, key_id))) return "key";
  if (consent_id !== null && !(await isLiveConsent(db, consent_id))) return "application";
  return undefined;
}

/** Creates the error that ends background work of a deleted or disabled account. */
export const accountDisabled = (): AppError =>
  new AppError("UNAUTHENTICATED", "The account that started this was deleted or disabled. Start again with another account.");
