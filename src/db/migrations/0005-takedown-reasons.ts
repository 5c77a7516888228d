import type { Migration } from "../migrate.ts";

/** The reason that a takedown gives on the pages of its links, one of the reasons of reports; null if it gives none (expiry, "Takedown"). */
export const takedownReasons: Migration = {
  name: "0005-takedown-reasons",
  statements: ["ALTER TABLE withdrawals ADD COLUMN public_reason TEXT"],
};
