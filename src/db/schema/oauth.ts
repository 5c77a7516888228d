/**
 * Applications that act for accounts (oauth). Of the columns of `@better-auth/oauth-provider`, those that it reads and writes here, in this
 * schema's form; lists are JSON.
 */
export const oauth: readonly string[] = [
  `CREATE TABLE oauth_clients (
      id TEXT PRIMARY KEY,
      client_id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      redirect_uris TEXT NOT NULL,
      grant_types TEXT NOT NULL,
      token_endpoint_auth_method TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL
    )`,
  "CREATE INDEX oauth_clients_used ON oauth_clients (used_at)",
  // The index finds applications that no account has connected, which are few at any time (oauth, "Registration").
  "CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at = created_at",
  `CREATE TABLE oauth_consents (
      id TEXT PRIMARY KEY,
      client_id TEXT NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      scopes TEXT NOT NULL,
      resources TEXT,
      requested_user_info_claims TEXT,
      redirect_uri TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      used_at INTEGER,
      UNIQUE (user_id, client_id)
    )`,
  "CREATE INDEX oauth_consents_client ON oauth_consents (client_id)",
  "CREATE INDEX oauth_consents_updated ON oauth_consents (updated_at)",
  `CREATE TABLE oauth_refresh_tokens (
      id TEXT PRIMARY KEY,
      token TEXT NOT NULL UNIQUE,
      client_id TEXT NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      session_id TEXT,
      authorization_code_id TEXT,
      scopes TEXT NOT NULL,
      resources TEXT,
      auth_time INTEGER,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      revoked INTEGER,
      rotated_at INTEGER
    )`,
  "CREATE INDEX oauth_refresh_tokens_client ON oauth_refresh_tokens (client_id)",
  "CREATE INDEX oauth_refresh_tokens_user ON oauth_refresh_tokens (user_id, client_id)",
  "CREATE INDEX oauth_refresh_tokens_code ON oauth_refresh_tokens (authorization_code_id)",
  "CREATE INDEX oauth_refresh_tokens_expired ON oauth_refresh_tokens (expires_at)",
  `CREATE TABLE oauth_access_tokens (
      id TEXT PRIMARY KEY,
      token TEXT NOT NULL UNIQUE,
      client_id TEXT NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      session_id TEXT,
      authorization_code_id TEXT,
      refresh_id TEXT REFERENCES oauth_refresh_tokens (id) ON DELETE CASCADE,
      scopes TEXT NOT NULL,
      resources TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX oauth_access_tokens_client ON oauth_access_tokens (client_id)",
  "CREATE INDEX oauth_access_tokens_user ON oauth_access_tokens (user_id, client_id)",
  "CREATE INDEX oauth_access_tokens_code ON oauth_access_tokens (authorization_code_id)",
  "CREATE INDEX oauth_access_tokens_refresh ON oauth_access_tokens (refresh_id)",
  "CREATE INDEX oauth_access_tokens_expired ON oauth_access_tokens (expires_at)",
  // Programs without a browser that ask for consent (oauth, "Devices").
  `CREATE TABLE device_codes (
      id TEXT PRIMARY KEY,
      device_code TEXT NOT NULL UNIQUE,
      user_code TEXT NOT NULL UNIQUE,
      user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      client_id TEXT NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
      oauth_client_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      resources TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied')),
      polling_interval INTEGER NOT NULL,
      last_polled_at INTEGER,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX device_codes_user ON device_codes (user_id)",
  "CREATE INDEX device_codes_client ON device_codes (client_id)",
  "CREATE INDEX device_codes_expired ON device_codes (expires_at)",
  // The built-in client of the command line.
  `INSERT INTO oauth_clients (id, client_id, name, redirect_uris, grant_types, token_endpoint_auth_method, created_at, used_at)
      VALUES ('filehost-cli', 'filehost-cli', 'filehost (command line)', '[]',
        '["urn:ietf:params:oauth:grant-type:device_code","refresh_token"]', 'none', 0, 0)`,
];
