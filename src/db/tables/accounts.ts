import type { Generated, Insertable, Selectable } from "kysely";

export interface UserTable {
  id: string;
  name: string;
  /** A unique text, which is not an address if `claimed_email` is set. */
  email: string;
  /**
   * The address that somebody signed up with while another account had it; only this account's own pages show it. Null for an account with an address
   * of its own.
   */
  claimed_email: string | null;
  email_verified: Generated<number>;
  /** The time at which the owner proved the address; null: never, which is possible for a verified address. */
  email_proved_at: number | null;
  image: string | null;
  username: string | null;
  role: Generated<"user" | "admin" | "agent">;
  tier: Generated<"free" | "pro">;
  pro_until: number | null;
  disabled_at: number | null;
  /** The time at which its owner deleted it. It then has neither name nor address, and waits for the removal of its files. */
  deleted_at: number | null;
  /** Agents: a pseudonym of the address that they registered from. Agents of one group share one quota. */
  agent_group: string | null;
  /** The language of the last page that the person visited; null if unknown. */
  language: string | null;
  /** Whether recipients of the account's shares see its name. */
  show_name: Generated<number>;
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
  /** Whether the key may administer the server while its account is an administrator's. */
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
  /** Number of stored files and uploads in progress. */
  file_count: Generated<number>;
}

export interface RateWindowTable {
  name: string;
  subject: string;
  count: number;
  resets_at: number;
}
