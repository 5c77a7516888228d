import type { Generated, Selectable } from "kysely";

export interface UploadSessionTable {
  id: string;
  session_key: string;
  kind: "direct" | "multipart";
  state: "open" | "completing" | "completed";
  file_id: string;
  quota_owner: string;
  reserved_bytes: number;
  size_bytes: number | null;
  part_size_bytes: number | null;
  total_parts: number | null;
  blob_key: string;
  staged_ref: string | null;
  publish_fields: Generated<string>;
  lease_holder: string | null;
  result: string | null;
  last_byte_at: number;
  created_at: number;
  completed_at: number | null;
  /** The account whose key sends the upload; null without a key. */
  uploader_id: string | null;
  /**
   * The submission, if the file is sent to a request. In that case `uploader_id` is the account that asks, and anybody with the `uploadId` can
   * continue the upload.
   */
  submission_id: string | null;
}

export type UploadSessionRow = Selectable<UploadSessionTable>;

export interface UploadPartTable {
  session_id: string;
  part_number: number;
  size_bytes: number;
  sha256: string;
  etag: string;
  /** The CRC-32; null unless the part is the whole file and passed through this server. */
  crc32: Generated<number | null>;
}

export type UploadPartRow = Selectable<UploadPartTable>;

export interface ExpectedPartTable {
  file_id: string;
  part_number: number;
  size_bytes: number;
  /** The offset of the part in the file. */
  start_byte: number;
  sha256: string;
}

export type ExpectedPartRow = Selectable<ExpectedPartTable>;

export interface UploadDelegationTable {
  id: string;
  token_hash: string;
  owner_id: string;
  /** The key; null for a session or an application. */
  key_id: string | null;
  /** The connection of the application that created it. */
  consent_id: string | null;
  quota_owner: string;
  name: string | null;
  content_type: string | null;
  size_bytes: number | null;
  publish_fields: string;
  immutable: Generated<number>;
  upstream_ids: Generated<string>;
  short_id: string;
  session_key: string;
  upload_id_hash: string;
  unlock_hash: string | null;
  handoff_hash: string | null;
  result: string | null;
  file_id: string | null;
  created_at: number;
  expires_at: number;
}

export type UploadDelegationRow = Selectable<UploadDelegationTable>;
