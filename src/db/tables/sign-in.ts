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

/** The authenticator app of an account. */
export interface AuthenticatorTable {
  user_id: string;
  /** The secret in base32, encrypted. */
  secret: string;
  /** The time step of the last code that was used. */
  last_step: Generated<number>;
  created_at: number;
  /** Time of the first code, from which on signing in requires a code. */
  confirmed_at: number | null;
  /** The session that asked for the secret; null in a row of an earlier version. */
  session_id: string | null;
}

export type AuthenticatorRow = Selectable<AuthenticatorTable>;

/** A code that signs in once without the authenticator app. */
export interface RecoveryCodeTable {
  user_id: string;
  /** The keyed hash of the code. */
  code_hash: string;
}

/** A sign-in whose password was right, and that waits for a code. */
export interface PendingSignInTable {
  token_hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
}

/** A passkey: the public half of a key pair on a device or in a password manager. */
export interface PasskeyTable {
  id: string;
  user_id: string;
  /** The host name for which it was created. It works at no other host. */
  rp_id: string;
  /** The ID in base64url. */
  credential_id: string;
  /** The key in COSE, base64url. */
  public_key: string;
  /** The number of signatures that its device reports; 0 if the device does not count. */
  counter: number;
  /** The ways in which browsers reach its device: a JSON list of names. */
  transports: string;
  /** The name; empty if the owner has not named it. */
  name: string;
  created_at: number;
  last_used_at: number | null;
}

export type PasskeyRow = Selectable<PasskeyTable>;

/** A challenge that a device signs with a passkey. The row is deleted after that. */
export interface PasskeyChallengeTable {
  /** SHA-256 of the challenge. */
  id: string;
  purpose: "add" | "sign-in" | "prove";
  /** The session that asked; null for a sign-in. */
  session_id: string | null;
  expires_at: number;
}
