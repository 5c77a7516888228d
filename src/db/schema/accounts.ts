/** The tables of accounts, their keys, and the limits of callers: quotas, rates and proofs of work. */
export const accounts: readonly string[] = [
  // - `deleted_at`: such an account stays without its name and address until its files are removed (accounts, "Deleting an account").
  // - `claimed_email`: signed up for with an address that has an account already (sign in, "Addresses that have an account").
  // - `email_proved_at`: when the owner proved that the address is theirs (sign in, "Verified and proved").
  `CREATE TABLE users (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      email TEXT NOT NULL UNIQUE COLLATE NOCASE,
      email_verified INTEGER NOT NULL DEFAULT 0,
      image TEXT,
      username TEXT UNIQUE COLLATE NOCASE,
      role TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'admin', 'agent')),
      tier TEXT NOT NULL DEFAULT 'free' CHECK (tier IN ('free', 'pro')),
      pro_until INTEGER,
      disabled_at INTEGER,
      agent_group TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      language TEXT,
      deleted_at INTEGER,
      claimed_email TEXT,
      email_proved_at INTEGER
    )`,
  "CREATE INDEX users_agents ON users (created_at) WHERE role = 'agent'",
  "CREATE INDEX users_pro_until ON users (pro_until) WHERE pro_until IS NOT NULL",
  "CREATE INDEX users_claimed_email ON users (claimed_email) WHERE claimed_email IS NOT NULL",
  `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      prefix TEXT NOT NULL UNIQUE,
      salt TEXT NOT NULL,
      hash TEXT NOT NULL,
      label TEXT,
      scope TEXT NOT NULL CHECK (scope IN ('files_read', 'files_write', 'full')),
      is_agent_key INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at INTEGER,
      is_admin_key INTEGER NOT NULL DEFAULT 0
    )`,
  "CREATE INDEX api_keys_owner ON api_keys (owner_id)",
  `CREATE TABLE quotas (
      owner TEXT PRIMARY KEY,
      used_bytes INTEGER NOT NULL DEFAULT 0,
      reserved_bytes INTEGER NOT NULL DEFAULT 0,
      file_count INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID`,
  `CREATE TABLE rate_windows (
      name TEXT NOT NULL,
      subject TEXT NOT NULL,
      count INTEGER NOT NULL,
      resets_at INTEGER NOT NULL,
      PRIMARY KEY (name, subject)
    ) WITHOUT ROWID`,
  "CREATE INDEX rate_windows_age ON rate_windows (resets_at)",
  `CREATE TABLE challenges (
      id TEXT PRIMARY KEY,
      subject TEXT NOT NULL,
      difficulty INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) WITHOUT ROWID`,
  "CREATE INDEX challenges_age ON challenges (expires_at)",
];
