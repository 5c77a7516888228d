import type { Generated, Selectable } from "kysely";

/** A digest that no file may have. */
export interface BlockedDigestTable {
  /** The digest in hexadecimal, in lower case. */
  sha256: string;
  /** The administrator's note. */
  reason: string | null;
  /** The ID of the administrator's account, or `command_line`. */
  added_by: string;
  created_at: number;
}

/** A file whose digest is added to the blocklist as soon as it is known. */
export interface AwaitedBlockTable {
  file_id: string;
  reason: string | null;
  /** The author of the entry, like `added_by` in `BlockedDigestTable`. */
  added_by: string;
}

export type BlockedDigestRow = Selectable<BlockedDigestTable>;

/** A report of a share, with the share's data at that time. */
export interface ReportTable {
  id: string;
  short_id: string;
  /** The name of the share's file, or the title of the shipment. */
  name: string;
  file_count: number;
  size_bytes: number;
  /** The SHA-256; null for a shipment, and if it was unknown. */
  sha256: string | null;
  reason: "malware" | "phishing" | "illegal" | "copyright" | "personal_data" | "other";
  details: string | null;
  /** The address at which the reporter wants to be contacted. */
  email: string | null;
  created_at: number;
  resolved_at: number | null;
  /** The administrator's note. */
  resolution: string | null;
  /** The outcome; null if the report is open, or was resolved on the command line. */
  outcome: Generated<"dismissed" | "taken_down" | null>;
  /** The ID of the administrator's account, or `command_line`. */
  resolved_by: Generated<string | null>;
}

export type ReportRow = Selectable<ReportTable>;
