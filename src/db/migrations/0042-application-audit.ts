import type { Migration } from "../migrate.ts";

/** What applications did for accounts (administration, "The audit log"). Without foreign keys, as the rest of the log. */
export const applicationAudit: Migration = {
  name: "0042-application-audit",
  statements: [
    "ALTER TABLE audit_log ADD COLUMN consent_id TEXT",
    "CREATE INDEX audit_log_consent ON audit_log (consent_id, id) WHERE consent_id IS NOT NULL",
  ],
};
