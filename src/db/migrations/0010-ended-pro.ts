import type { Migration } from "../migrate.ts";

/**
 * Finds the accounts whose Pro has a time at which it ends or has ended, few among many. An account that ever was Pro has one, or none for
 * as long as it is Pro without an end; one that lost it without is given now, so that nothing which it keeps is forgotten.
 */
export const endedPro: Migration = {
  name: "0010-ended-pro",
  statements: [
    `UPDATE users SET pro_until = CAST(strftime('%s', 'now') AS INTEGER) * 1000
      WHERE tier = 'free' AND pro_until IS NULL
        AND EXISTS (SELECT 1 FROM shares WHERE owner_id = users.id AND expires_at IS NULL AND status = 'active')`,
    `CREATE INDEX users_pro_until ON users (pro_until) WHERE pro_until IS NOT NULL`,
  ],
};
