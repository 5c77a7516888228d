import type { Generated, Selectable } from "kysely";

/** A mail that waits for its SMTP server, or that could not be sent. */
export interface MailTable {
  id: string;
  recipient: string;
  language: string | null;
  /** The encrypted content, which may include one-time links; null if it can never be sent. */
  content: string | null;
  /** The start of its attempts: its creation, or a retry after it failed. */
  created_at: number;
  /** Number of attempts before it failed. */
  attempts: Generated<number>;
  /** Time of the last failed attempt; null while it waits. */
  failed_at: number | null;
  error: string | null;
  /** The recipient of a share, with whom the mail is deleted; null for other mails. */
  recipient_id: string | null;
}

export type MailRow = Selectable<MailTable>;
