import type { Migration } from "../migrate.ts";

/** Who made a link that sets a password, so that it ends with their role (accounts, "A forgotten password"). */
export const linkCreators: Migration = {
  name: "0024-link-creators",
  statements: [
    "ALTER TABLE account_links ADD COLUMN created_by TEXT REFERENCES users (id) ON DELETE CASCADE",
    "CREATE INDEX account_links_creator ON account_links (created_by)",
  ],
};
