import type { Migration } from "../migrate.ts";

/** Whether the owner of a request gets notices of its files; null: as their settings say (notices, "Kinds"). */
export const requestNotices: Migration = {
  name: "0029-request-notices",
  statements: ["ALTER TABLE requests ADD COLUMN notify INTEGER"],
};
