import type { Generated, Insertable, Selectable } from "kysely";

export interface UserTable {
  id: string;
  name: string;
  /** Unique, and no address where `claimed_email` is set. */
  email: string;
  /** The address that somebody signed up with while another account had it; only this account's own pages show it. Null: it has its own. */
  claimed_email: string | null;
  email_verified: Generated<number>;
  /** When the owner proved that the address is theirs. Null: never, also of a verified one. */
  email_proved_at: number | null;
  image: string | null;
  username: string | null;
  role: Generated<"user" | "admin" | "agent">;
  tier: Generated<"free" | "pro">;
  pro_until: number | null;
  disabled_at: number | null;
  /** When its owner deleted it; it then has neither name nor address, and waits for its files to be removed. */
  deleted_at: number | null;
  /** Agents: a pseudonym of the address that they registered from. Agents of one group share one quota. */
  agent_group: string | null;
  /** The language of the last page that the person visited; null: not known. */
  language: string | null;
  created_at: number;
  updated_at: number;
}

export type UserRow = Selectable<UserTable>;

export interface ApiKeyTable {
  id: string;
  owner_id: string;
  prefix: string;
  salt: string;
  hash: string;
  label: string | null;
  scope: "files_read" | "files_write" | "full";
  is_agent_key: Generated<number>;
  /** Whether it may administer the server while its account is an administrator's. */
  is_admin_key: Generated<number>;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export type ApiKeyRow = Selectable<ApiKeyTable>;
export type NewApiKeyRow = Insertable<ApiKeyTable>;

export interface ChallengeTable {
  id: string;
  subject: string;
  difficulty: number;
  expires_at: number;
  used_at: number | null;
}

export type ChallengeRow = Selectable<ChallengeTable>;

export interface QuotaTable {
  owner: string;
  used_bytes: Generated<number>;
  reserved_bytes: Generated<number>;
  /** Stored files and uploads in progress. */
  file_count: Generated<number>;
}

export interface RateWindowTable {
  name: string;
  subject: string;
  count: number;
  resets_at: number;
}
