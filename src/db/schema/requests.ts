/** Requests for files (requests, "Requests"). */
export const requests: readonly string[] = [
  // When an account is deleted, its requests keep only the hash of their tokens, so that their links can say that they have ended. `notify`
  // null: as the owner's settings say (notices, "Kinds").
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
      closed_at INTEGER,
      notify INTEGER
    )`,
  "CREATE INDEX requests_owner ON requests (owner_id, created_at DESC, id DESC) WHERE owner_id IS NOT NULL",
  "CREATE INDEX requests_folder ON requests (folder_id) WHERE folder_id IS NOT NULL",
  `CREATE TRIGGER requests_forget AFTER UPDATE OF owner_id ON requests WHEN NEW.owner_id IS NULL BEGIN
      UPDATE requests SET token = '', title = '', message = NULL WHERE id = NEW.id;
      DELETE FROM request_submissions WHERE request_id = NEW.id;
    END`,
  `CREATE TABLE request_submissions (
      id TEXT PRIMARY KEY,
      request_id TEXT NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
      short_id TEXT NOT NULL UNIQUE,
      sender_name TEXT,
      sender_note TEXT,
      file_count INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL
    )`,
  "CREATE INDEX request_submissions_request ON request_submissions (request_id, created_at, id)",
  // Submissions with and without files: anybody can begin one (requests, "Sending files").
  "CREATE INDEX request_submissions_sent ON request_submissions (request_id) WHERE file_count > 0",
  "CREATE INDEX request_submissions_empty ON request_submissions (request_id) WHERE file_count = 0",
  "CREATE INDEX request_submissions_old ON request_submissions (created_at) WHERE file_count = 0",
];
