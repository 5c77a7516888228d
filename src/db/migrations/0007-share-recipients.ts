import type { Migration } from "../migrate.ts";

/**
 * The recipients to whom senders mail a share, their links, and the addresses that accept no such mail (recipients, "What is kept"). Triggers end the
 * links with the credentials of their share, and delete the recipients of a deleted share, whichever operation changes the share.
 */
export const shareRecipients: Migration = {
  name: "0007-share-recipients",
  statements: [
    `CREATE TABLE share_recipients (
      id TEXT PRIMARY KEY,
      short_id TEXT NOT NULL REFERENCES shares (short_id) ON DELETE CASCADE,
      address TEXT NOT NULL,
      language TEXT NOT NULL,
      message TEXT,
      status TEXT NOT NULL CHECK (status IN ('waiting', 'sending', 'sent', 'failed')),
      failure TEXT,
      failure_detail TEXT,
      wants_reminder INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      sent_at INTEGER,
      reminded_at INTEGER,
      opened_at INTEGER,
      downloads INTEGER NOT NULL DEFAULT 0,
      downloaded_at INTEGER,
      UNIQUE (short_id, address)
    )`,
    "CREATE INDEX share_recipients_reminders ON share_recipients (sent_at) WHERE wants_reminder = 1 AND reminded_at IS NULL AND downloads = 0",
    `CREATE TABLE recipient_links (
      token_hash TEXT PRIMARY KEY,
      recipient_id TEXT NOT NULL REFERENCES share_recipients (id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL
    )`,
    "CREATE INDEX recipient_links_recipient ON recipient_links (recipient_id)",
    "CREATE TABLE blocked_addresses (address_hash TEXT PRIMARY KEY, created_at INTEGER NOT NULL)",
    `CREATE TRIGGER recipient_links_end AFTER UPDATE OF handoff_hash ON shares WHEN NEW.handoff_hash IS NOT OLD.handoff_hash BEGIN
      DELETE FROM recipient_links WHERE recipient_id IN (SELECT id FROM share_recipients WHERE short_id = NEW.short_id);
    END`,
    `CREATE TRIGGER share_recipients_end AFTER UPDATE OF status ON shares WHEN NEW.status = 'deleted' BEGIN
      DELETE FROM share_recipients WHERE short_id = NEW.short_id;
    END`,
  ],
};
