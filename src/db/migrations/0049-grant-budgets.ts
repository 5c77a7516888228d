import type { Migration } from "../migrate.ts";

/**
 * Bought downloads end with their grants, and may transfer five times the file's size. An archive that is being sent, or was by a server that
 * crashed, had -1 in place of what is left.
 */
export const grantBudgets: Migration = {
  name: "0049-grant-budgets",
  statements: [
    "ALTER TABLE purchase_downloads ADD COLUMN ends_at INTEGER",
    "CREATE INDEX purchase_downloads_ends ON purchase_downloads (ends_at) WHERE ends_at IS NOT NULL",
    `UPDATE download_grants SET budget_bytes = max(budget_bytes, 0) + (SELECT size_bytes * 7 / 2 FROM files WHERE files.id = download_grants.file_id)
      WHERE completed_at IS NULL AND id IN (SELECT grant_id FROM purchase_downloads)`,
  ],
};
