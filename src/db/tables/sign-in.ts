import type { Generated, Selectable } from "kysely";

/** A person who is signed in on one device. */
export interface SessionTable {
  id: string;
  user_id: string;
  /** SHA-256 of the token. */
  token: string;
  expires_at: number;
  /** The IP address; empty unless addresses are stored. */
  ip_address: string | null;
  user_agent: string | null;
  created_at: number;
  updated_at: number;
  /** Time of the last proof that the owner of the account uses the session. */
  proved_at: number | null;
}

/** A password, or the identity at a provider, with which an account signs in. */
export interface SignInMethodTable {
  id: string;
  user_id: string;
  account_id: string;
  provider_id: string;
  /** Tokens of a provider's identity; unused by filehost. */
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: number | null;
  refresh_token_expires_at: number | null;
  scope: string | null;
  /** The salted hash of the password. */
  password: string | null;
  created_at: number;
  updated_at: number;
}

/** A link with which one person may sign up; deleted when they have. */
export interface InviteTable {
  id: string;
  token_hash: string;
  role: "user" | "admin";
  /** The only address that may use it. */
  email: string | null;
  /** Whether it was mailed to that address, which it therefore proves. */
  is_mailed: Generated<number>;
  created_by: string | null;
  created_at: number;
  expires_at: number;
}

export type InviteRow = Selectable<InviteTable>;

/** A one-time link to an account, which proves its address, sets a password or changes the address. */
export interface AccountLinkTable {
  token_hash: string;
  user_id: string;
  purpose: "verify" | "reset" | "email";
  /** The address that the link was mailed to and proves; null if an administrator created it. */
  mailed_to: string | null;
  /** The administrator's account; null if the link was mailed, or created by a command. */
  created_by: string | null;
  created_at: number;
  expires_at: number;
}

/** A single-use token that proves an email address, or completes a sign-in. */
export interface VerificationTable {
  id: string;
  /** Hashed. */
  identifier: string;
  value: string;
  expires_at: number;
  created_at: number;
  updated_at: number;
}

/** A sign-in at the OpenID Connect provider that has begun in one browser. The row is deleted when the browser returns. */
export interface ProviderFlowTable {
  /** SHA-256 of the browser's secret. */
  id: string;
  purpose: "sign-in" | "connect" | "prove";
  /** The session in which it was begun; null for a sign-in. */
  session_id: string | null;
  /** SHA-256 of an invite's token. */
  invite_hash: string | null;
  /** The path of the next page. */
  next: string | null;
  created_at: number;
  expires_at: number;
}

export type ProviderFlowRow = Selectable<ProviderFlowTable>;
