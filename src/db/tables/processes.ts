import type { Generated, Selectable } from "kysely";

export interface ServerInstanceTable {
  id: string;
  host: string;
  pid: number;
  process_started: string | null;
  lease_until: number;
}

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

export interface IdempotentRequestTable {
  caller: string;
  route: string;
  key_hash: string;
  body_digest: string | null;
  lease_holder: string | null;
  response: string | null;
  /** The credential of the request that produced the response; null if an earlier version stored it. */
  credential: Generated<string | null>;
  created_at: number;
}

export interface ServerStateTable {
  name: string;
  value: string;
}

/** Bytes of the store without a row. */
export interface UnknownBlobTable {
  /** The location of the bytes: an area, or `staging`. */
  place: "visible" | "quarantine" | "staging";
  blob_key: string;
  /** The reference by which the store finds staged bytes again; empty for others. */
  staged_ref: string;
  first_seen_at: number;
  /** Time at which a complete search last saw the bytes. */
  last_seen_at: number;
}
