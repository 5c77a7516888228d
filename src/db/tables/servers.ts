import type { Generated, Selectable } from "kysely";

export interface ServerInstanceTable {
  id: string;
  host: string;
  pid: number;
  process_started: string | null;
  lease_until: number;
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

/** Settings that administrators changed (configuration, "Settings in the database"). */
export interface RunTimeSettingTable {
  name: string;
  /** Number of the last change. A later change of any setting has a higher number. */
  revision: number;
  changed_at: number;
  /** The value as text, in the form of the environment; null if the setting is back at its default. */
  value: string | null;
}

export type RunTimeSettingRow = Selectable<RunTimeSettingTable>;
