/** Mails that wait for their SMTP server (mail, "When a mail cannot be sent"). */
export const mail: readonly string[] = [
  `CREATE TABLE mails (
      id TEXT PRIMARY KEY,
      recipient TEXT NOT NULL,
      language TEXT,
      content TEXT,
      created_at INTEGER NOT NULL,
      failed_at INTEGER,
      error TEXT,
      attempts INTEGER NOT NULL DEFAULT 0
    )`,
  "CREATE INDEX mails_failed ON mails (failed_at, id) WHERE failed_at IS NOT NULL",
];
