import type { Generated, Selectable } from "kysely";

export interface InstanceTable {
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
  payload: Generated<string>;
  run_at: number;
  attempts: Generated<number>;
  lease_holder: string | null;
  lease_until: number | null;
  last_error: string | null;
  created_at: number;
  /** Who caused it: jobs of a kind are shared out fairly among keys. */
  fair_key: Generated<string>;
  is_large: Generated<number>;
  /** What the job waits for before its time comes; `wakeAwaiting` makes it due. */
  awaits: string | null;
}

/** A key that has jobs of a class, kept by triggers on `jobs`. */
export interface JobKeyTable {
  kind: string;
  fair_key: string;
  is_large: number;
  /** Since when a job of it waits, or when another was claimed, if later. May be too early after a job was deleted, never too late. */
  waiting_since: number;
  claimed_at: number;
}

export type JobRow = Selectable<JobTable>;

export interface CronSlotTable {
  name: string;
  slot: number;
}

export interface IdempotencyTable {
  caller: string;
  route: string;
  key_hash: string;
  body_digest: string | null;
  holder: string | null;
  lease_until: number | null;
  response: string | null;
  created_at: number;
}

export interface SettingTable {
  name: string;
  value: string;
}
