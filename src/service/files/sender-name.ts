import type { FileRow } from "../../db/tables/files.ts";

/** The columns with the name and path that the sender used; null if they equal the file's own, and for files that nobody sent. */
export type SentAs = Pick<FileRow, "sent_name" | "sent_path">;

type Sendable = SentAs & Pick<FileRow, "submission_id" | "name" | "relative_path">;

/**
 * Returns the name and the path that a file was sent with, to store when its owner changes either. The sender sees only these (requests, "The
 * sender's receipt").
 */
export function toSentAs({ submission_id, sent_name, sent_path, name, relative_path }: Sendable): SentAs {
  if (submission_id === null) return { sent_name: null, sent_path: null };
  return sent_name === null ? { sent_name: name, sent_path: relative_path } : { sent_name, sent_path };
}
