import type { Generated, Selectable } from "kysely";

/** A link with which others send files to an account. */
export interface RequestTable {
  id: string;
  /** The account that asks; null if it was deleted. */
  owner_id: string | null;
  token_hash: string;
  /** The encrypted token, which lets the owner copy the link again. */
  token: string;
  title: string;
  message: string | null;
  /** The folder for the received files. */
  folder_id: string | null;
  max_files: number;
  /** Maximum size of a file; null: the limit of the owner's tier. */
  max_file_bytes: number | null;
  max_bytes: number;
  /** Whether only one sender may send files. */
  once: number;
  unlock_hash: string | null;
  /** Number of received files, including unfinished uploads and without files that senders removed. */
  received_files: Generated<number>;
  received_bytes: Generated<number>;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
  /** Whether the owner gets notices of its files; null: the account's settings apply. */
  notify: Generated<number | null>;
  /** The age public key to which senders encrypt; null if they do not. */
  encrypt_to: Generated<string | null>;
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
  /** Number of files of the submission, including unfinished uploads and without files that the sender removed. */
  file_count: Generated<number>;
  created_at: number;
}

export type RequestSubmissionRow = Selectable<RequestSubmissionTable>;
