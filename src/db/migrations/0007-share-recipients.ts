import type { Migration } from "../migrate.ts";

/**
 * Fails a recipient who is shown as `sending` and has no mail that is tried. Without a link they are shown as `ended`, so their row is kept as it
 * is.
 */
const failWithoutMail = (recipientId: string): string =>
  `UPDATE share_recipients SET status = 'failed', failure = 'unreachable', failure_detail = NULL
      WHERE id = ${recipientId} AND status = 'sending'
        AND EXISTS (SELECT 1 FROM recipient_links WHERE recipient_links.recipient_id = share_recipients.id)
        AND NOT EXISTS (SELECT 1 FROM mails WHERE mails.recipient_id = share_recipients.id AND mails.failed_at IS NULL)`;

/**
 * The recipients to whom senders mail a share, their links, and the addresses that accept no such mail (recipients, "What is kept"). Triggers end
 * the links with the credentials of their share, delete the recipients of a deleted share or account, and fail recipients whose last mail is lost,
 * whichever operation does so.
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
      reminder TEXT CHECK (reminder IN ('chosen', 'ended')),
      created_at INTEGER NOT NULL,
      sent_at INTEGER,
      remind_at INTEGER,
      reminded_at INTEGER,
      opened_at INTEGER,
      downloads INTEGER NOT NULL DEFAULT 0,
      downloaded_at INTEGER,
      UNIQUE (short_id, address)
    )`,
    "CREATE INDEX share_recipients_reminders ON share_recipients (remind_at) WHERE remind_at IS NOT NULL",
    `CREATE TABLE recipient_links (
      token_hash TEXT PRIMARY KEY,
      recipient_id TEXT NOT NULL REFERENCES share_recipients (id) ON DELETE CASCADE
    )`,
    "CREATE INDEX recipient_links_recipient ON recipient_links (recipient_id)",
    "CREATE TABLE blocked_addresses (address_hash TEXT PRIMARY KEY, created_at INTEGER NOT NULL)",
    "ALTER TABLE mails ADD COLUMN recipient_id TEXT REFERENCES share_recipients (id) ON DELETE CASCADE",
    "CREATE INDEX mails_recipient ON mails (recipient_id) WHERE recipient_id IS NOT NULL",
    `CREATE TRIGGER recipient_links_end AFTER UPDATE OF unlock_hash, handoff_hash ON shares
    WHEN NEW.unlock_hash IS NOT OLD.unlock_hash OR NEW.handoff_hash IS NOT OLD.handoff_hash BEGIN
      DELETE FROM recipient_links WHERE recipient_id IN (SELECT id FROM share_recipients WHERE short_id = NEW.short_id);
    END`,
    `CREATE TRIGGER share_recipients_end AFTER UPDATE OF status, owner_id ON shares WHEN NEW.status = 'deleted' OR (NEW.owner_id IS NULL AND OLD.owner_id IS NOT NULL) BEGIN
      DELETE FROM share_recipients WHERE short_id = NEW.short_id;
    END`,
    // Cleanup computes the time of a reminder again when the share's expiry has changed, or a takedown was undone.
    `CREATE TRIGGER reminders_change AFTER UPDATE OF status, expires_at ON shares
    WHEN NEW.status = 'active' AND (OLD.status <> 'active' OR NEW.expires_at IS NOT OLD.expires_at) BEGIN
      UPDATE share_recipients SET remind_at = 0 WHERE short_id = NEW.short_id AND reminder = 'chosen' AND sent_at IS NOT NULL;
    END`,
    `CREATE TRIGGER recipient_mails_delete AFTER DELETE ON mails WHEN OLD.recipient_id IS NOT NULL BEGIN
      ${failWithoutMail("OLD.recipient_id")};
    END`,
    `CREATE TRIGGER recipient_mails_fail AFTER UPDATE OF failed_at ON mails WHEN NEW.recipient_id IS NOT NULL AND NEW.failed_at IS NOT NULL BEGIN
      ${failWithoutMail("NEW.recipient_id")};
    END`,
  ],
};
