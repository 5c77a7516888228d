import type { Generated, Selectable } from "kysely";

export interface FolderTable {
  id: string;
  owner_id: string;
  parent_id: string | null;
  name: string;
  created_at: number;
  updated_at: number;
}

export type FolderRow = Selectable<FolderTable>;

/** The number and size of a folder's listed files, which triggers maintain. `folder_id` is empty for files in no folder. */
export interface FolderTotalTable {
  owner_id: string;
  folder_id: string;
  file_count: number;
  total_bytes: number;
}

export interface ShareTable {
  short_id: string;
  kind: "file" | "shipment";
  owner_id: string | null;
  name: string;
  status: Generated<"active" | "expired" | "deleted" | "dmca_removed">;
  visibility: Generated<"unlisted" | "public">;
  direct: Generated<number>;
  retention: Generated<"ttl" | "forever">;
  expires_at: number | null;
  is_expiry_chosen: Generated<number>;
  /** Whether it was published or extended under its owner's Pro, so that it expires with the grace period after Pro at the latest. */
  ends_with_pro: Generated<number>;
  /** The chosen expiry if Pro ends earlier; null otherwise. */
  expires_at_before_cut: number | null;
  once: Generated<number>;
  max_downloads: number | null;
  unlock_hash: string | null;
  handoff_hash: string | null;
  handoff_message: string | null;
  /** A part of every signed URL. It rises when the credentials or the download limit change, which ends earlier URLs. */
  credentials_version: Generated<number>;
  price_cents: number | null;
  /** Whether people who have not bought it see the thumbnails of its images. */
  price_thumbnails: Generated<number>;
  redirect_to: string | null;
  created_at: number;
  title: string | null;
  message: string | null;
  /** The tokens of a share without an owner. The claim token stays after a claim, so that the claim can be repeated. */
  claim_hash: string | null;
  deletion_hash: string | null;
  /** The token that adds files to a shipment. */
  share_token_hash: string | null;
  share_token_expires_at: number | null;
  ended_at: number | null;
  /** Whether only its owner can open it, because its files were sent to a request and not shared. */
  is_private: Generated<number>;
  /** Whether its owner gets notices of its downloads and its end; null: the account's settings apply. */
  notify: number | null;
  /** The expiry that its owner was notified of. */
  expiry_noticed_for: number | null;
  /** The takedown that closed it; null if none did. */
  takedown_id: Generated<string | null>;
}

export type ShareRow = Selectable<ShareTable>;

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
  /** The failure of a check for another reason than malware: the bytes do not match their expected digest. */
  failure: "digest_mismatch" | null;
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
  status_before_takedown: Generated<"active" | "expired" | null>;
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

export interface DownloadGrantTable {
  id: string;
  file_id: string;
  budget_bytes: number;
  sent_spans: Generated<string>;
  completed_at: number | null;
  expires_at: number;
}

export type DownloadGrantRow = Selectable<DownloadGrantTable>;

/** The files that an account chose to download as one ZIP, until its URL expires. */
export interface OwnerArchiveTable {
  id: string;
  owner_id: string;
  /** Name of the ZIP, without `.zip`. */
  name: string;
  /** The files in JSON: pairs of a file's ID and its path in the ZIP; a null path means its name. */
  files: string;
  expires_at: number;
}
