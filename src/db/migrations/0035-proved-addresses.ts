import type { Migration } from "../migrate.ts";

/**
 * When the owner of an account proved that its address is theirs (sign in, "Verified and proved"). Of the accounts that exist, those whose
 * verification is in the audit log, and whose address did not change afterwards.
 */
export const provedAddresses: Migration = {
  name: "0035-proved-addresses",
  statements: [
    "ALTER TABLE users ADD COLUMN email_proved_at INTEGER",
    `UPDATE users SET email_proved_at = (SELECT max(created_at) FROM audit_log WHERE account_id = users.id AND action = 'account.email_verified')
      WHERE email_verified = 1`,
    `UPDATE users SET email_proved_at = NULL WHERE EXISTS (SELECT 1 FROM audit_log
      WHERE account_id = users.id AND action = 'account.email_changed' AND created_at >= users.email_proved_at)`,
    "CREATE INDEX users_claimed_email ON users (claimed_email) WHERE claimed_email IS NOT NULL",
  ],
};
