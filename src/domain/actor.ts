import type { Tier } from "./tiers.ts";

export type Scope = "files_read" | "files_write" | "full";

const RANK: Readonly<Record<Scope, number>> = { files_read: 1, files_write: 2, full: 3 };

/** Whether a key of scope `has` may do what needs `needed` (decisions, "Accounts, keys, tiers"). */
export const scopeAllows = (has: Scope, needed: Scope): boolean => RANK[has] >= RANK[needed];

export interface AnonymousActor {
  readonly kind: "anonymous";
  readonly tier: Extract<Tier, "anonymous">;
  /** Whose storage an upload counts against; names the address without telling it. */
  readonly quotaOwner: string;
}

export interface UserActor {
  readonly kind: "user";
  readonly tier: Extract<Tier, "free" | "pro">;
  readonly quotaOwner: string;
  readonly userId: string;
  readonly username: string | null;
  readonly scope: Scope;
  readonly keyId: string;
  /** Whether it registered itself, without a person. */
  readonly isAgent: boolean;
  /** What all agents of the free tier together may store, in bytes; undefined for whoever is not one of them. */
  readonly poolBytes?: number;
}

/** How the quotas of agents begin that have registered themselves: those of one address share one. */
export const AGENT_QUOTA_PREFIX = "agents:";

/** All agents of one address may make as many requests as so many of them. */
export const AGENT_GROUP_FACTOR = 5;

/** How the quotas of callers without a key begin. */
export const ANONYMOUS_QUOTA_PREFIX = "anon:";

/** Whose storage a caller without a key uses: its address's; for IPv6 its /64's, with the /48 around that as the beginning of the name. */
export const anonymousQuotaOwner = ({ own, wide }: { own: string; wide: string | undefined }): string =>
  ANONYMOUS_QUOTA_PREFIX + (wide === undefined ? own : `${wide}:${own}`);

/** How all quotas of the same IPv6 /48 begin; undefined for a quota that lies in none. */
export const wideQuotaPrefix = (quotaOwner: string): string | undefined => /^anon:[^:]+:(?=.)/.exec(quotaOwner)?.[0];

/** Whose jobs share slots: the owner of the quota; for callers without a key of one IPv6 /48, all of them. */
export const fairKey = (quotaOwner: string): string => wideQuotaPrefix(quotaOwner) ?? quotaOwner;

/** Who is calling. */
export type Actor = AnonymousActor | UserActor;

/** The account that owns what the actor makes; null for anonymous callers. */
export const ownerId = (actor: Actor): string | null => (actor.kind === "user" ? actor.userId : null);
