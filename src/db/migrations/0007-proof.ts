import type { Migration } from "../migrate.ts";

/** When a session last proved that its account's owner uses it (accounts, "Proof"). */
export const proof: Migration = {
  name: "0007-proof",
  statements: ["ALTER TABLE sessions ADD COLUMN proved_at INTEGER"],
};
