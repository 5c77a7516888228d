import type { Selectable } from "kysely";

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
