import type { Migration } from "../migrate.ts";

/**
 * Applications that act for accounts (oauth). Of the columns of `@better-auth/oauth-provider`, those that it reads and writes here, in this
 * schema's form; lists are JSON.
 */
export const oauth: Migration = {
  name: "0037-oauth",
  statements: [
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
  ],
};
