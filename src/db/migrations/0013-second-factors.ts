import type { Migration } from "../migrate.ts";

/** Authenticator apps, recovery codes, and sign-ins that wait for a code (accounts, "Two-step sign-in"). */
export const secondFactors: Migration = {
  name: "0013-second-factors",
  statements: [
    "DROP TABLE two_factors",
    "ALTER TABLE users DROP COLUMN two_factor_enabled",
    `CREATE TABLE authenticators (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      secret TEXT NOT NULL,
      last_step INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      confirmed_at INTEGER
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
  ],
};
