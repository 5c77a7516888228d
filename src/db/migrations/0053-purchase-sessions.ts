import type { Migration } from "../migrate.ts";

/**
 * The ID of a checkout gives the right to what was bought: only its keyed hash and its encrypted form are stored. Migrations have no keys, so
 * a row with a `session_hash` and no `session` has the ID itself until the next start converts it (`hideSessions`).
 */
export const purchaseSessions: Migration = {
  name: "0053-purchase-sessions",
  statements: [
    "ALTER TABLE purchases RENAME COLUMN session_id TO session_hash",
    "ALTER TABLE purchases ADD COLUMN session TEXT",
    "CREATE INDEX purchases_clear_session ON purchases (id) WHERE session IS NULL AND session_hash IS NOT NULL",
  ],
};
