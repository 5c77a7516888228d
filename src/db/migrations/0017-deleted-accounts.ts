import type { Migration } from "../migrate.ts";

/** An account that its owner has deleted stays without its name and address until its files are removed (accounts, "Deleting an account"). */
export const deletedAccounts: Migration = {
  name: "0017-deleted-accounts",
  statements: ["ALTER TABLE users ADD COLUMN deleted_at INTEGER"],
};
