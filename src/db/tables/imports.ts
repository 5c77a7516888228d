import type { Generated, Insertable, Selectable } from "kysely";

export interface ImportTable {
  id: string;
  secret_hash: string;
  owner_id: string | null;
  key_id: string | null;
  /** The connection of the application that created it. */
  consent_id: string | null;
  quota_owner: string;
  /** The encrypted URL, which may be a signed one. */
  url: string;
  /** The file's name in the request. */
  requested_name: string | null;
  publish_fields: string;
  /** The hash of an anonymous import's claim token, for the file that will be created. */
  claim_hash: string | null;
  deletion_hash: string | null;
  status: "queued" | "importing" | "completed" | "failed" | "cancelled";
  phase: string;
  bytes_done: Generated<number>;
  bytes_total: number | null;
  /** The file's name, from the request or the source. */
  name: string | null;
  /** The upload session that stores the received bytes. */
  session_id: string | null;
  /** The `If-Range` validator, if the source supports ranges. */
  validator: string | null;
  failures: Generated<number>;
  file_id: string | null;
  short_id: string | null;
  /** The encrypted unlock code and handoff link of a protected share. */
  credentials: string | null;
  error: string | null;
  error_code: string | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
}

export type ImportRow = Selectable<ImportTable>;
export type NewImport = Insertable<ImportTable>;
