import type { Migration } from "../migrate.ts";

/** Passkeys, and what their devices are asked to sign (accounts, "Passkeys"). */
export const passkeys: Migration = {
  name: "0025-passkeys",
  statements: [
    `CREATE TABLE passkeys (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      rp_id TEXT NOT NULL,
      credential_id TEXT NOT NULL UNIQUE,
      public_key TEXT NOT NULL,
      counter INTEGER NOT NULL,
      transports TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER
    )`,
    "CREATE INDEX passkeys_user ON passkeys (user_id)",
    `CREATE TABLE passkey_challenges (
      id TEXT PRIMARY KEY,
      purpose TEXT NOT NULL CHECK (purpose IN ('add', 'sign-in', 'prove')),
      session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    )`,
    "CREATE INDEX passkey_challenges_session ON passkey_challenges (session_id)",
    "CREATE INDEX passkey_challenges_expired ON passkey_challenges (expires_at)",
  ],
};
