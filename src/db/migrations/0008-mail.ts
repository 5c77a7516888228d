import type { Migration } from "../migrate.ts";

/** Mails that wait for their SMTP server (mail, "When a mail cannot be sent"), and one-time links to accounts. */
export const mail: Migration = {
  name: "0008-mail",
  statements: [
    `CREATE TABLE mails (
      id TEXT PRIMARY KEY,
      recipient TEXT NOT NULL,
      language TEXT,
      content TEXT,
      created_at INTEGER NOT NULL,
      failed_at INTEGER,
      error TEXT
    )`,
    `CREATE INDEX mails_failed ON mails (failed_at) WHERE failed_at IS NOT NULL`,
    `CREATE TABLE account_links (
      token_hash TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      purpose TEXT NOT NULL CHECK (purpose IN ('verify', 'reset')),
      mailed_to TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    `CREATE INDEX account_links_user ON account_links (user_id)`,
    `CREATE INDEX account_links_expired ON account_links (expires_at)`,
    "ALTER TABLE users ADD COLUMN language TEXT",
    "ALTER TABLE invites ADD COLUMN is_mailed INTEGER NOT NULL DEFAULT 0",
  ],
};
