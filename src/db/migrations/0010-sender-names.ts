import type { Migration } from "../migrate.ts";

/**
 * Whether recipients of an account's shares see its name (accounts, "The name that recipients see"). Off for the accounts that exist already, because
 * nobody asked their owners.
 */
export const senderNames: Migration = {
  name: "0010-sender-names",
  statements: ["ALTER TABLE users ADD COLUMN show_name INTEGER NOT NULL DEFAULT 0"],
};
