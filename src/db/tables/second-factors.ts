import type { Generated, Selectable } from "kysely";

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
