import type { Selectable } from "kysely";

/** A digest that no file may have. */
export interface BlockedDigestTable {
  /** Hexadecimal, in lower case. */
  sha256: string;
  /** The administrator's note. */
  reason: string | null;
  /** The ID of the administrator's account, or `command_line`. */
  added_by: string;
  created_at: number;
}

export type BlockedDigestRow = Selectable<BlockedDigestTable>;
