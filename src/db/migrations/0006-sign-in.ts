import type { Migration } from "../migrate.ts";

/** Sessions and ways to sign in (accounts, "Signing in"). The columns of `better-auth`, in this schema's form. */
export const signIn: Migration = {
  name: "0006-sign-in",
  statements: [
    // Delegations of a session have no key.
    "ALTER TABLE upload_delegations ADD COLUMN key_id_or_null TEXT",
    "UPDATE upload_delegations SET key_id_or_null = key_id",
    "ALTER TABLE upload_delegations DROP COLUMN key_id",
    "ALTER TABLE upload_delegations RENAME COLUMN key_id_or_null TO key_id",
    `ALTER TABLE users ADD COLUMN two_factor_enabled INTEGER NOT NULL DEFAULT 0`,
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      token TEXT NOT NULL UNIQUE,
      expires_at INTEGER NOT NULL,
      ip_address TEXT,
      user_agent TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE INDEX sessions_user ON sessions (user_id)`,
    `CREATE INDEX sessions_expired ON sessions (expires_at)`,
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
    `CREATE INDEX sign_in_methods_user ON sign_in_methods (user_id)`,
    `CREATE TABLE verifications (
      id TEXT PRIMARY KEY,
      identifier TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE INDEX verifications_identifier ON verifications (identifier)`,
    `CREATE INDEX verifications_expired ON verifications (expires_at)`,
    `CREATE TABLE invites (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL CHECK (role IN ('user', 'admin')),
      email TEXT,
      created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    `CREATE INDEX invites_creator ON invites (created_by)`,
    `CREATE INDEX invites_expired ON invites (expires_at)`,
    `CREATE TABLE two_factors (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
      secret TEXT NOT NULL,
      backup_codes TEXT NOT NULL,
      verified INTEGER NOT NULL DEFAULT 0,
      failed_verification_count INTEGER NOT NULL DEFAULT 0,
      locked_until INTEGER
    )`,
  ],
};
