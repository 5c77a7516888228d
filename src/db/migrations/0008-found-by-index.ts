import type { Migration } from "../migrate.ts";

/**
 * What was found by walking through a whole table. Most are references to what is deleted, which SQLite looks for in every table that may
 * hold one. The index on the owner of a share takes the place of the one on what is kept, and serves both.
 */
export const foundByIndex: Migration = {
  name: "0008-found-by-index",
  statements: [
    `CREATE INDEX folders_parent ON folders (parent_id) WHERE parent_id IS NOT NULL`,
    `CREATE INDEX shares_owner ON shares (owner_id, expires_at) WHERE owner_id IS NOT NULL`,
    `DROP INDEX shares_kept`,
    `CREATE INDEX imports_owner ON imports (owner_id) WHERE owner_id IS NOT NULL`,
    `CREATE INDEX delegations_owner ON delegations (owner_id)`,
    `CREATE INDEX jobs_leased ON jobs (lease_holder) WHERE lease_holder IS NOT NULL`,
  ],
};
