import type { Migration } from "../migrate.ts";

/** Finds the last files that arrived for a request, and their senders, without reading its other files (notices, "The list"). */
export const arrivals: Migration = {
  name: "0011-arrivals",
  statements: ["CREATE INDEX files_arrived ON files (request_id, arrived_at DESC, submission_id) WHERE request_id IS NOT NULL"],
};
