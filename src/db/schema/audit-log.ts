/** The audit log, whose IDs are in the order of the commits (administration, "The audit log"). */
export const auditLog: readonly string[] = [
  // The table has no foreign keys, because an entry stays when its subject is deleted.
  `CREATE TABLE audit_log (
      id INTEGER PRIMARY KEY,
      action TEXT NOT NULL,
      origin TEXT NOT NULL CHECK (origin IN ('account', 'key', 'command_line', 'system')),
      actor_id TEXT,
      key_id TEXT,
      subject_id TEXT NOT NULL,
      account_id TEXT,
      details TEXT NOT NULL,
      address TEXT,
      created_at INTEGER NOT NULL,
      consent_id TEXT
    )`,
  "CREATE INDEX audit_log_action ON audit_log (action, id)",
  "CREATE INDEX audit_log_actor ON audit_log (actor_id, id)",
  "CREATE INDEX audit_log_key ON audit_log (key_id, id)",
  "CREATE INDEX audit_log_subject ON audit_log (subject_id, id)",
  "CREATE INDEX audit_log_account ON audit_log (account_id, id)",
  "CREATE INDEX audit_log_created ON audit_log (created_at)",
  "CREATE INDEX audit_log_addresses ON audit_log (created_at) WHERE address IS NOT NULL",
  "CREATE INDEX audit_log_consent ON audit_log (consent_id, id) WHERE consent_id IS NOT NULL",
];
