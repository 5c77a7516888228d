import type { Migration } from "../migrate.ts";

const COLUMNS = "token_hash, user_id, purpose, mailed_to, created_by, created_at, expires_at";

/** Links that change the address of an account (sign in, "Changing the email address"). A constraint can only be changed with its table. */
export const emailChanges: Migration = {
  name: "0028-email-changes",
  statements: [
    `CREATE TABLE former_account_links AS SELECT ${COLUMNS} FROM account_links`,
    "DROP TABLE account_links",
    `CREATE TABLE account_links (
      token_hash TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      purpose TEXT NOT NULL CHECK (purpose IN ('verify', 'reset', 'email')),
      mailed_to TEXT,
      created_by TEXT REFERENCES users (id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    `INSERT INTO account_links (${COLUMNS}) SELECT ${COLUMNS} FROM former_account_links`,
    "DROP TABLE former_account_links",
    "CREATE INDEX account_links_user ON account_links (user_id)",
    "CREATE INDEX account_links_expired ON account_links (expires_at)",
    "CREATE INDEX account_links_creator ON account_links (created_by)",
  ],
};
