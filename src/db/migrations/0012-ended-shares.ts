import type { Migration } from "../migrate.ts";

/**
 * Whether the owner of an ended share has removed it from the list of ended shares (sharing, "Sharing again"), and the message of the mail with a
 * recipient's private link, encrypted, which its page shows (recipients, "Links").
 */
export const endedShares: Migration = {
  name: "0012-ended-shares",
  statements: [
    "ALTER TABLE shares ADD COLUMN is_off_list INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE recipient_links ADD COLUMN message TEXT",
  ],
};
