import type { Generated, Selectable } from "kysely";

/** A place of a file in a share (model, "Places"). Rows with the same bytes have the same `blob_key`. */
export interface FileTable {
  id: string;
  short_id: string;
  owner_id: string | null;
  quota_owner: string;
  folder_id: string | null;
  run_id: string | null;
  name: string;
  /** The forms of a complete file's name for searching and for sorting (`toNameKeys`). */
  name_key: Generated<string>;
  name_order: Generated<string>;
  relative_path: string | null;
  size_bytes: number;
  content_type: string;
  sha256: string | null;
  expected_sha256: string | null;
  blob_key: string;
  blob_state: "uploading" | "stored" | "quarantined" | "removing" | "removed";
  scan_status: "pending" | "scanning" | "clean" | "unavailable";
  scan_reason: "infected" | "scan_failed" | null;
  scan_coverage: "whole" | "windowed" | "none" | null;
  scan_detail: string | null;
  /** The failure of a check that is not a scan: the bytes do not match their expected digest, or their digest is on the blocklist. */
  failure: "digest_mismatch" | "blocklisted" | null;
  scanned_at: number | null;
  status: Generated<"active" | "expired" | "deleted" | "dmca_removed">;
  immutable: Generated<number>;
  download_count: Generated<number>;
  created_at: number;
  ended_at: number | null;
  remove_at: number | null;
  /** The size of the thumbnail in bytes and pixels; all null without one. */
  thumbnail_bytes: Generated<number | null>;
  thumbnail_width: Generated<number | null>;
  thumbnail_height: Generated<number | null>;
  /** The request and the submission to which the file was sent; null for other files. */
  request_id: string | null;
  submission_id: string | null;
  /** The name and the path that the sender used, once its owner has renamed or shared it. */
  sent_name: Generated<string | null>;
  sent_path: Generated<string | null>;
  /** Time at which a file that was sent to a request was first available. */
  arrived_at: Generated<number | null>;
  /** Whether its sender encrypted it, according to its first bytes. */
  is_encrypted: Generated<number>;
  /** The CRC-32; null while it is unknown. */
  crc32: Generated<number | null>;
  /** The time of the last change of the sender's file, and whether it is executable, if the sender sent them. */
  modified_at: Generated<number | null>;
  is_executable: Generated<number>;
  /** The size of an image in pixels as it is shown, and a blurred image as a `data:` URL; null if they are unknown. */
  image_width: Generated<number | null>;
  image_height: Generated<number | null>;
  image_placeholder: Generated<string | null>;
  /** The size of the reduced image in bytes; null without one. */
  reduced_bytes: Generated<number | null>;
  /** The ID of the first place of the file in a share (model, "Places"); null while it has had only one. */
  origin_id: Generated<string | null>;
  /** Whether the owner's list shows the file by an older place. A trigger maintains it. */
  is_repeat: Generated<number>;
  /** Time at which the place was added; null for the first one. */
  placed_at: Generated<number | null>;
  /** The name in the owner's list, if a rename has made it another one than the name in the share. */
  owner_name: Generated<string | null>;
  /** The status that the end of a takedown restores; null for a place that is not taken down. */
  status_before_takedown: Generated<"active" | "expired" | "deleted" | null>;
}

export type FileRow = Selectable<FileTable>;

/** The end of all places of files: a takedown, which can be undone, or a deletion of all links (model, "Places"). */
export interface WithdrawalTable {
  id: string;
  kind: "takedown" | "deletion";
  /** The share that was taken down; null for a takedown of a file, and a deletion. */
  short_id: string | null;
  created_at: number;
  /** Removal time of the bytes. */
  remove_at: number;
  /** Time at which the takedown was undone; null while it is in force. */
  undone_at: number | null;
  /** The reason that the pages of its links give; null if the takedown has none. */
  public_reason: "malware" | "phishing" | "illegal" | "copyright" | "personal_data" | "other" | null;
}

export type WithdrawalRow = Selectable<WithdrawalTable>;

/** A file of a withdrawal, by the ID that all its places have in common. */
export interface WithdrawnFileTable {
  withdrawal_id: string;
  file_id: string;
}

export interface FileLineageTable {
  file_id: string;
  upstream_id: string;
}
