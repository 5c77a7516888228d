import type { Migration } from "../migrate.ts";

/** Settings that administrators change while the server runs (configuration, "Settings in the database"). */
export const runTimeSettings: Migration = {
  name: "0023-run-time-settings",
  statements: [
    `CREATE TABLE run_time_settings (
      name TEXT PRIMARY KEY,
      revision INTEGER NOT NULL,
      changed_at INTEGER NOT NULL,
      value TEXT
    )`,
    `CREATE INDEX run_time_settings_revision ON run_time_settings (revision)`,
  ],
};
