import type { Generated, Selectable } from "kysely";

/** What was done to accounts, keys, shares and settings. Only what the command line and the server do has no `actor_id`. */
export interface AuditLogTable {
  /** In the order of the commits. */
  id: Generated<number>;
  action: string;
  origin: "account" | "key" | "command_line" | "system";
  /** The account that did it. */
  actor_id: string | null;
  /** The key that it was done with. */
  key_id: string | null;
  /** The connection of the application that did it; `origin` is then `account`. */
  consent_id: string | null;
  /** What it was done to, by the first word of the action. */
  subject_id: string;
  /** The account that this belongs to. */
  account_id: string | null;
  /** JSON: an object with texts, numbers, true, false and null. */
  details: string;
  /** The caller's IP address, if and as long as addresses are kept. */
  address: string | null;
  created_at: number;
}

export type AuditLogRow = Selectable<AuditLogTable>;
