import type { Config } from "../../config/load.ts";
import type { Tier } from "../../config/tiers.ts";
import { AppError } from "../../errors.ts";

export type Scope = "files_read" | "files_write" | "full";

/** A caller without a key and without a session. */
export interface AnonymousActor {
  readonly kind: "anonymous";
  readonly tier: Extract<Tier, "anonymous">;
  /** The quota that uploads count against: a pseudonym of the IP address. */
  readonly quotaOwner: string;
}

/** A caller with a key, a session or the token of an application. */
export interface UserActor {
  readonly kind: "user";
  /** `anonymous` while the email address is not verified and the account is not Pro (accounts, "Verification"). */
  readonly tier: Tier;
  /** Set while the email address is not verified, also for Pro. */
  readonly isUnverified?: boolean;
  readonly quotaOwner: string;
  readonly userId: string;
  readonly username: string | null;
  readonly scope: Scope;
  /** The key that the request was sent with; null: a session or an application. */
  readonly keyId: string | null;
  /** The prefix of the key that the request was sent with. Rotating the key changes the prefix. */
  readonly keyPrefix?: string | undefined;
  /** The session that the request belongs to; null: a key or an application. */
  readonly sessionId: string | null;
  /** The token of an application that acts for the account; undefined: a key or a session. */
  readonly accessTokenId?: string;
  /** The consent of the account to the application, without which the token is not valid. */
  readonly consentId?: string;
  /** When the session last gave a proof; undefined: never, or a key. */
  readonly provedAtMs?: number;
  /** Whether the account is a self-registered agent. */
  readonly isAgent: boolean;
  /** Set if the account is an administrator's. See `asAdministrator`. */
  readonly isAdministrator?: boolean;
  /** Set if the key may administer the server. */
  readonly isAdminKey?: boolean;
  /** Storage that all agents of the free tier share, in bytes; undefined for other accounts. */
  readonly poolBytes?: number;
}

/** The caller of an operation. */
export type Actor = AnonymousActor | UserActor;

/** The administrator at the machine of the server, who runs a command and needs neither account nor key (administration, "Access"). */
export interface MachineActor {
  readonly kind: "machine";
}

const RANK: Readonly<Record<Scope, number>> = { files_read: 1, files_write: 2, full: 3 };

/** Returns whether a key with the scope `has` may call what requires `needed` (accounts, "Keys and scopes"). */
export const scopeAllows = (has: Scope, needed: Scope): boolean => RANK[has] >= RANK[needed];

/** Returns the account that owns what the actor creates; null for an anonymous caller. */
export const ownerId = (actor: Actor): string | null => (actor.kind === "user" ? actor.userId : null);

/** Returns the credential on which the actor's background work depends, as columns; null for a session, and for an anonymous caller. */
export const toCredentialColumns = (actor: Actor): { readonly key_id: string | null; readonly consent_id: string | null } =>
  actor.kind === "user" ? { key_id: actor.keyId, consent_id: actor.consentId ?? null } : { key_id: null, consent_id: null };

/** Returns the calling account. Throws UNAUTHENTICATED for an anonymous caller. */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === "user") return actor;
  throw new AppError("UNAUTHENTICATED", "An API key is required. Send one as `Authorization: Bearer <key>`.");
}

/** Returns the error for an action that requires a verified email address. */
export const unverified = (): AppError =>
  new AppError("FORBIDDEN", "This needs a verified email address. Open the link in the mail to your address first.");

/**
 * Returns the calling account. Throws FORBIDDEN while its address is not verified, because the owner of the address may take the account over later
 * (accounts, "Verification").
 */
export function requireVerified(actor: Actor): UserActor {
  const user = requireUser(actor);
  if (user.isUnverified) throw unverified();
  return user;
}

/** Throws UNAUTHENTICATED for an anonymous caller, and FORBIDDEN for an unverified account, if the server requires a key for uploads and imports. */
export function checkAnonymousUploads({ config }: { readonly config: Config }, actor: Actor, what: "Uploads" | "Imports"): void {
  if (actor.tier !== "anonymous" || config.anonymousUploads) return;
  if (actor.kind === "user") throw unverified();
  throw new AppError("UNAUTHENTICATED", `${what} require an API key on this server. Send one as \`Authorization: Bearer <key>\`.`);
}

/** Prefix of the names by which accounts are counted. */
export const USER_PREFIX = "user:";

/** Returns the name by which quotas, rate limits and repeated requests count an account. */
export const userSubject = (userId: string): string => USER_PREFIX + userId;

/** Prefix of the quotas of self-registered agents; agents of one IP address share a quota. */
export const AGENT_QUOTA_PREFIX = "agents:";

/** Prefix of the quotas of callers without a key. */
export const ANONYMOUS_QUOTA_PREFIX = "anon:";

/** The rate limit of all agents of one IP address, as a multiple of one agent's. */
export const AGENT_GROUP_FACTOR = 5;

/** The limits of an IPv6 /48 are this multiple of a /64's (request limits, "Who counts as one caller"). */
export const SUBNET48_FACTOR = 16;

/** Returns the quota of a caller without a key: one per IPv4 address or IPv6 /64. The name of a /64 starts with the name of its /48. */
export const anonymousQuotaOwner = ({ own, subnet48 }: { own: string; subnet48: string | undefined }): string =>
  ANONYMOUS_QUOTA_PREFIX + (subnet48 === undefined ? own : `${subnet48}:${own}`);

/** Prefix of all quotas in the same IPv6 /48; undefined for other quotas. */
export const subnet48QuotaPrefix = (quotaOwner: string): string | undefined => /^anon:[^:]+:(?=.)/.exec(quotaOwner)?.[0];

/** Returns the key by which jobs share slots fairly: the quota, or the /48 for callers without a key over IPv6. */
export const fairKey = (quotaOwner: string): string => subnet48QuotaPrefix(quotaOwner) ?? quotaOwner;
