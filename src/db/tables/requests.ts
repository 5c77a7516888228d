import type { Generated, Selectable } from "kysely";

/** A link with which others send files to an account. */
export interface RequestTable {
  id: string;
  /** Null: the account was deleted. */
  owner_id: string | null;
  token_hash: string;
  /** Encrypted, so that the owner can copy the link again. */
  token: string;
  title: string;
  message: string | null;
  /** Where the files are put. */
  folder_id: string | null;
  max_files: number;
  /** Null: as the owner's tier allows. */
  max_file_bytes: number | null;
  max_bytes: number;
  /** Whether only one sender may send files. */
  once: number;
  unlock_hash: string | null;
  /** What was received, with unfinished uploads and without what senders removed. */
  received_files: Generated<number>;
  received_bytes: Generated<number>;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
  /** Whether the owner gets notices of its files; null: as their settings say. */
  notify: Generated<number | null>;
}

export type RequestRow = Selectable<RequestTable>;

/** The files that one sender sends to a request. */
export interface RequestSubmissionTable {
  id: string;
  request_id: string;
  /** The private share of the files that the owner has not shared. */
  short_id: string;
  sender_name: string | null;
  sender_note: string | null;
  /** Files of the submission: counts unfinished uploads, and not what the sender removed. */
  file_count: Generated<number>;
  created_at: number;
}

export type RequestSubmissionRow = Selectable<RequestSubmissionTable>;
