/**
 * Sessions and ways to sign in (accounts, "Signing in"). `sessions`, `sign_in_methods` and `verifications` have the columns of
 * `better-auth`, in this schema's form.
 */
export const signIn: readonly string[] = [
  // `proved_at`: when a session last proved that its account's owner uses it (accounts, "Proof").
  `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      token TEXT NOT NULL UNIQUE,
      expires_at INTEGER NOT NULL,
      ip_address TEXT,
      user_agent TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      proved_at INTEGER
    )`,
  "CREATE INDEX sessions_user ON sessions (user_id)",
  "CREATE INDEX sessions_expired ON sessions (expires_at)",
  `CREATE TABLE sign_in_methods (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      account_id TEXT NOT NULL,
      provider_id TEXT NOT NULL,
      access_token TEXT,
      refresh_token TEXT,
      id_token TEXT,
      access_token_expires_at INTEGER,
      refresh_token_expires_at INTEGER,
      scope TEXT,
      password TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (provider_id, account_id)
    )`,
  "CREATE INDEX sign_in_methods_user ON sign_in_methods (user_id)",
  `CREATE TABLE verifications (
      id TEXT PRIMARY KEY,
      identifier TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
  "CREATE INDEX verifications_identifier ON verifications (identifier)",
  "CREATE INDEX verifications_expired ON verifications (expires_at)",
  `CREATE TABLE invites (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL CHECK (role IN ('user', 'admin')),
      email TEXT,
      created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      is_mailed INTEGER NOT NULL DEFAULT 0
    )`,
  "CREATE INDEX invites_creator ON invites (created_by)",
  "CREATE INDEX invites_expired ON invites (expires_at)",
  // One-time links to accounts. `created_by`: who made a link that sets a password, so that it ends with their role (accounts, "A forgotten
  // password").
  `CREATE TABLE account_links (
      token_hash TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      purpose TEXT NOT NULL CHECK (purpose IN ('verify', 'reset', 'email')),
      mailed_to TEXT,
      created_by TEXT REFERENCES users (id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX account_links_user ON account_links (user_id)",
  "CREATE INDEX account_links_expired ON account_links (expires_at)",
  "CREATE INDEX account_links_creator ON account_links (created_by)",
  // Sign-ins at an OpenID Connect provider that have begun (accounts, "OpenID Connect").
  `CREATE TABLE provider_flows (
      id TEXT PRIMARY KEY,
      purpose TEXT NOT NULL CHECK (purpose IN ('sign-in', 'connect', 'prove')),
      session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
      invite_hash TEXT,
      next TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX provider_flows_session ON provider_flows (session_id)",
  "CREATE INDEX provider_flows_expired ON provider_flows (expires_at)",
];
