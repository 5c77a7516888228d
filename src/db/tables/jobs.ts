import type { Generated, Selectable } from "kysely";

export interface JobTable {
  id: string;
  kind: string;
  subject: string;
  run_at: number;
  attempts: Generated<number>;
  lease_holder: string | null;
  lease_until: number | null;
  last_error: string | null;
  /** Time of the last failed attempt; null if there is none, or a condition can make the job due earlier. */
  failed_at: number | null;
  created_at: number;
  /** The account or network that caused the job. The slots of a kind are shared fairly among keys. */
  fair_key: Generated<string>;
  is_large: Generated<number>;
  /** A condition that can make the job due earlier, by `wakeAwaiting`. */
  awaits: string | null;
}

/** A key that has jobs of a class. Triggers on `jobs` maintain it. */
export interface JobKeyTable {
  kind: string;
  fair_key: string;
  is_large: number;
  /**
   * Time since which one of its jobs waits, or of the last lease of another one if that is later. After the deletion of a job it may be too early,
   * but never too late.
   */
  waiting_since: number;
  leased_at: number;
}

export type JobRow = Selectable<JobTable>;

export interface ScheduleRunTable {
  name: string;
  scheduled_at: number;
}
