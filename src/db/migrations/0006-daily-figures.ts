import type { Migration } from "../migrate.ts";

/** A row for each day with its numbers, because rows of files, downloads and jobs are deleted and have no history (administration, "Overview"). */
export const dailyFigures: Migration = {
  name: "0006-daily-figures",
  statements: [
    `CREATE TABLE daily_figures (
      day INTEGER PRIMARY KEY,
      used_bytes INTEGER,
      uploads INTEGER NOT NULL DEFAULT 0,
      downloads INTEGER NOT NULL DEFAULT 0,
      failures INTEGER
    )`,
  ],
};
