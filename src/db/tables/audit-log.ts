import type { Generated, Selectable } from "kysely";

/** Changes of accounts, keys, shares and settings. Only entries of the command line and the server have no `actor_id`. */
export interface AuditLogTable {
  /** The ID, in the order of the commits. */
  id: Generated<number>;
  action: string;
  origin: "account" | "key" | "command_line" | "system";
  /** The account that made the change. */
  actor_id: string | null;
  /** The key that was used for the change. */
  key_id: string | null;
  /** The consent of the application that made the change; `origin` is then `account`. */
  consent_id: string | null;
  /** The ID of the changed subject. The first word of the action is its kind. */
  subject_id: string;
  /** The account that the subject belongs to. */
  account_id: string | null;
  /** A JSON object with texts, numbers, true, false and null. */
  details: string;
  /** The caller's IP address, if and as long as addresses are kept. */
  address: string | null;
  created_at: number;
}

export type AuditLogRow = Selectable<AuditLogTable>;
