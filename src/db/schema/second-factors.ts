/** Authenticator apps, recovery codes, passkeys, and sign-ins that wait for a code (accounts, "Two-step sign-in" and "Passkeys"). */
export const secondFactors: readonly string[] = [
  // Only the session `session_id`, which sets the app up, gets the secret.
  `CREATE TABLE authenticators (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      secret TEXT NOT NULL,
      last_step INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      confirmed_at INTEGER,
      session_id TEXT
    )`,
  `CREATE TABLE recovery_codes (
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      code_hash TEXT NOT NULL,
      PRIMARY KEY (user_id, code_hash)
    )`,
  `CREATE TABLE pending_sign_ins (
      token_hash TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX pending_sign_ins_user ON pending_sign_ins (user_id)",
  "CREATE INDEX pending_sign_ins_expired ON pending_sign_ins (expires_at)",
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
  // Challenges that devices are asked to sign.
  `CREATE TABLE passkey_challenges (
      id TEXT PRIMARY KEY,
      purpose TEXT NOT NULL CHECK (purpose IN ('add', 'sign-in', 'prove')),
      session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX passkey_challenges_session ON passkey_challenges (session_id)",
  "CREATE INDEX passkey_challenges_expired ON passkey_challenges (expires_at)",
];
