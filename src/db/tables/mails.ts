import type { Selectable } from "kysely";

/** A mail that waits for its SMTP server, or that it refused. */
export interface MailTable {
  id: string;
  recipient: string;
  language: string | null;
  /** Encrypted: what it says, which may include one-time links. Null once it has failed. */
  content: string | null;
  created_at: number;
  /** When the last attempt failed; null: it still waits. */
  failed_at: number | null;
  error: string | null;
}

export type MailRow = Selectable<MailTable>;
