import type { Generated, Selectable } from "kysely";

/** A mail that waits for its SMTP server, or that could not be sent. */
export interface MailTable {
  id: string;
  recipient: string;
  language: string | null;
  /** Encrypted: what it says, which may include one-time links. Null if it can never be sent. */
  content: string | null;
  /** When its attempts began: with the mail, or with a retry after it failed. */
  created_at: number;
  /** Attempts before it failed. */
  attempts: Generated<number>;
  /** When the last attempt failed; null: it still waits. */
  failed_at: number | null;
  error: string | null;
}

export type MailRow = Selectable<MailTable>;
