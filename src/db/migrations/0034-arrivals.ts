import type { Migration } from "../migrate.ts";

/** When a received file was available for the first time, since a later scan of it is no arrival (notices, "Kinds"). */
export const arrivals: Migration = {
  name: "0034-arrivals",
  statements: [
    "ALTER TABLE files ADD COLUMN arrived_at INTEGER",
    "UPDATE files SET arrived_at = coalesce(scanned_at, created_at) WHERE request_id IS NOT NULL AND scan_status = 'clean'",
  ],
};
