import type { Generated, Selectable } from "kysely";

/** Numbers of one day (UTC), for the charts of administrators. */
export interface DailyFigureTable {
  /** Days since 1970. */
  day: number;
  /** The bytes of all files, when they were last summed; null before the first time. */
  used_bytes: number | null;
  uploads: Generated<number>;
  downloads: Generated<number>;
  /** The highest number of failed jobs and scans that waited at the same time; null before they were first counted. */
  failures: number | null;
}

export type DailyFigureRow = Selectable<DailyFigureTable>;
