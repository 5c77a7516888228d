import type { Generated, Selectable } from "kysely";

/** A person who is signed in on one device. */
export interface SessionTable {
  id: string;
  user_id: string;
  /** SHA-256 of the token. */
  token: string;
  expires_at: number;
  /** Empty unless addresses are kept. */
  ip_address: string | null;
  user_agent: string | null;
  created_at: number;
  updated_at: number;
  /** When it last proved that the owner of the account uses it. */
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
  /** Salted hash. */
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
  /** Whether it was mailed to that address, which it then proves. */
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
  /** The address that it was mailed to, which it proves; null: an administrator made it. */
  mailed_to: string | null;
  /** The administrator's account; null: it was mailed, or made by a command. */
  created_by: string | null;
  created_at: number;
  expires_at: number;
}

/** A single-use token that proves an email address, or that ends a sign-in. */
export interface VerificationTable {
  id: string;
  /** Hashed. */
  identifier: string;
  value: string;
  expires_at: number;
  created_at: number;
  updated_at: number;
}

/** A sign-in at the OpenID Connect provider that has begun in one browser; deleted when the browser comes back. */
export interface ProviderFlowTable {
  /** SHA-256 of the browser's secret. */
  id: string;
  purpose: "sign-in" | "connect" | "prove";
  /** The session that it was begun in; null to sign in. */
  session_id: string | null;
  /** SHA-256 of an invite's token. */
  invite_hash: string | null;
  /** Path to go to afterwards. */
  next: string | null;
  created_at: number;
  expires_at: number;
}

export type ProviderFlowRow = Selectable<ProviderFlowTable>;

/** The authenticator app of an account. */
export interface AuthenticatorTable {
  user_id: string;
  /** Base32, encrypted. */
  secret: string;
  /** The time step of the last code that was used. */
  last_step: Generated<number>;
  created_at: number;
  /** Signing in needs a code from then on. */
  confirmed_at: number | null;
  /** The session that asked for the secret; null: before this was kept. */
  session_id: string | null;
}

export type AuthenticatorRow = Selectable<AuthenticatorTable>;

/** A code that signs in once without the authenticator app. */
export interface RecoveryCodeTable {
  user_id: string;
  /** Keyed. */
  code_hash: string;
}

/** A sign-in whose password was right, and that waits for a code. */
export interface PendingSignInTable {
  token_hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
}

/** A passkey: the public half of a key pair that a device or a password manager keeps. */
export interface PasskeyTable {
  id: string;
  user_id: string;
  /** The host name that it was made for; it works at no other. */
  rp_id: string;
  /** Base64url. */
  credential_id: string;
  /** COSE, base64url. */
  public_key: string;
  /** How often it has signed, as its device says; 0 if the device does not count. */
  counter: number;
  /** How browsers reach its device: JSON, a list of names. */
  transports: string;
  /** Empty: the owner has not named it. */
  name: string;
  created_at: number;
  last_used_at: number | null;
}

export type PasskeyRow = Selectable<PasskeyTable>;

/** What a device was asked to sign with a passkey; deleted when it did. */
export interface PasskeyChallengeTable {
  /** SHA-256 of the challenge. */
  id: string;
  purpose: "add" | "sign-in" | "prove";
  /** The session that asked; null to sign in. */
  session_id: string | null;
  expires_at: number;
}
