import type { Migration } from "../migrate.ts";

/**
 * Requests for files (requests, "Requests"), and shares that only their owner opens. When an account is deleted, its requests keep only the
 * hash of their tokens, so that their links can say that they have ended.
 */
export const requests: Migration = {
  name: "0011-requests",
  statements: [
    `CREATE TABLE requests (
      id TEXT PRIMARY KEY,
      owner_id TEXT REFERENCES users (id) ON DELETE SET NULL,
      token_hash TEXT NOT NULL UNIQUE,
      token TEXT NOT NULL,
      title TEXT NOT NULL,
      message TEXT,
      folder_id TEXT REFERENCES folders (id) ON DELETE SET NULL,
      max_files INTEGER NOT NULL,
      max_file_bytes INTEGER,
      max_bytes INTEGER NOT NULL,
      once INTEGER NOT NULL DEFAULT 0,
      unlock_hash TEXT,
      received_files INTEGER NOT NULL DEFAULT 0,
      received_bytes INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      closed_at INTEGER
    )`,
    `CREATE INDEX requests_owner ON requests (owner_id, created_at DESC, id DESC) WHERE owner_id IS NOT NULL`,
    `CREATE INDEX requests_folder ON requests (folder_id) WHERE folder_id IS NOT NULL`,
    `CREATE TABLE request_submissions (
      id TEXT PRIMARY KEY,
      request_id TEXT NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
      short_id TEXT NOT NULL UNIQUE,
      sender_name TEXT,
      sender_note TEXT,
      file_count INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL
    )`,
    `CREATE INDEX request_submissions_request ON request_submissions (request_id, created_at, id)`,
    `CREATE TRIGGER requests_forget AFTER UPDATE OF owner_id ON requests WHEN NEW.owner_id IS NULL BEGIN
      UPDATE requests SET token = '', title = '', message = NULL WHERE id = NEW.id;
      DELETE FROM request_submissions WHERE request_id = NEW.id;
    END`,
    "ALTER TABLE shares ADD COLUMN is_private INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE files ADD COLUMN request_id TEXT",
    "ALTER TABLE files ADD COLUMN submission_id TEXT",
    "CREATE INDEX files_request ON files (request_id, created_at DESC, id DESC) WHERE request_id IS NOT NULL",
    "CREATE INDEX files_submission ON files (submission_id, created_at, id) WHERE submission_id IS NOT NULL",
    "ALTER TABLE upload_sessions ADD COLUMN submission_id TEXT",
    "CREATE INDEX upload_sessions_submission ON upload_sessions (submission_id) WHERE submission_id IS NOT NULL",
  ],
};
