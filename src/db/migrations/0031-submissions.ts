import type { Migration } from "../migrate.ts";

/**
 * The path that a received file was sent with, once its owner has renamed or shared it (requests, "The sender's receipt"), and indexes for
 * submissions with and without files: anybody can begin one (requests, "Sending files").
 */
export const submissions: Migration = {
  name: "0031-submissions",
  statements: [
    "ALTER TABLE files ADD COLUMN sent_path TEXT",
    "UPDATE files SET sent_path = rtrim(relative_path, replace(relative_path, '/', '')) || sent_name WHERE sent_name IS NOT NULL",
    "CREATE INDEX request_submissions_sent ON request_submissions (request_id) WHERE file_count > 0",
    "CREATE INDEX request_submissions_empty ON request_submissions (request_id) WHERE file_count = 0",
    "CREATE INDEX request_submissions_old ON request_submissions (created_at) WHERE file_count = 0",
  ],
};
