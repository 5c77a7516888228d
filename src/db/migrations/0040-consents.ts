import type { Migration } from "../migrate.ts";

/** What an application made for an account ends with its connection (oauth, "Connected applications"). Without foreign keys, as `key_id`. */
export const consents: Migration = {
  name: "0040-consents",
  statements: ["ALTER TABLE upload_delegations ADD COLUMN consent_id TEXT", "ALTER TABLE imports ADD COLUMN consent_id TEXT"],
};
