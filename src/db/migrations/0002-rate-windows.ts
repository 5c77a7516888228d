import type { Migration } from "../migrate.ts";

/** Counters that must outlive a restart and hold across processes: what guards money and abuse. */
export const rateWindows: Migration = {
  name: "0002-rate-windows",
  statements: [
    `CREATE TABLE rate_windows (
      name TEXT NOT NULL,
      subject TEXT NOT NULL,
      count INTEGER NOT NULL,
      resets_at INTEGER NOT NULL,
      PRIMARY KEY (name, subject)
    ) WITHOUT ROWID`,
    `CREATE INDEX rate_windows_age ON rate_windows (resets_at)`,
  ],
};
