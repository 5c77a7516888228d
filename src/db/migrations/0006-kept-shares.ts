import type { Migration } from "../migrate.ts";

/** Finds the shares that stay as long as their owner is Pro, and the links that lead on to a shipment. */
export const keptShares: Migration = {
  name: "0006-kept-shares",
  statements: [
    `CREATE INDEX shares_kept ON shares (owner_id) WHERE status = 'active' AND expires_at IS NULL AND owner_id IS NOT NULL`,
    `CREATE INDEX shares_redirect ON shares (redirect_to) WHERE redirect_to IS NOT NULL`,
  ],
};
