/**
 * Returns the condition of the files that `GET /files/list` shows, in the words of `LISTED` in `service/files/`, so that SQLite uses the partial
 * indexes.
 */
const listed = (row: "" | "NEW." | "OLD."): string =>
  `${row}owner_id IS NOT NULL AND ${row}status IN ('active', 'dmca_removed') AND ${row}blob_state <> 'uploading'`;

const LISTED = listed("");
const LISTED_COLUMNS = "UPDATE OF owner_id, folder_id, size_bytes, status, blob_state ON files";

/** Returns the SQL that adds a file to the totals of its folder, or subtracts it. */
const addToTotals = (row: "NEW." | "OLD.", sign: 1 | -1): string =>
  `INSERT INTO folder_totals (owner_id, folder_id, file_count, total_bytes)
    VALUES (${row}owner_id, coalesce(${row}folder_id, ''), ${sign}, ${sign} * ${row}size_bytes)
    ON CONFLICT (owner_id, folder_id) DO UPDATE SET
      file_count = file_count + excluded.file_count,
      total_bytes = total_bytes + excluded.total_bytes`;

/** The condition of the files in the lists of administrators (administration, "Files"), in the words of their queries. */
const MODERATED = "status <> 'deleted' AND blob_state <> 'uploading'";
/** All columns that a filter or a search of these lists reads, so that it reads only the index. */
const FILTERED = "id, status, scan_status, owner_id, name_key";

/**
 * Files (model, "File and share"), and the triggers that count those of each folder. The conditions of indexes are written as in the
 * queries, so that SQLite uses them.
 *
 * - `thumbnail_…`: the size in bytes and pixels of a thumbnail; null without one (thumbnails, "Which files have one").
 * - `name_key` is searched, `name_order` sorted by (listing, "Files").
 * - `sent_name`, `sent_path`: what a received file was sent with, once its owner has renamed or shared it (requests, "The sender's
 *   receipt").
 * - `arrived_at`: when a received file was available for the first time, since a later scan of it is no arrival (notices, "Kinds").
 * - `is_encrypted`: whether its sender encrypted it, as its first bytes show (encryption, "Encrypted files").
 */
export const files: readonly string[] = [
  `CREATE TABLE files (
      id TEXT PRIMARY KEY,
      short_id TEXT NOT NULL REFERENCES shares (short_id),
      owner_id TEXT REFERENCES users (id),
      quota_owner TEXT NOT NULL,
      folder_id TEXT REFERENCES folders (id),
      run_id TEXT,
      name TEXT NOT NULL,
      relative_path TEXT,
      size_bytes INTEGER NOT NULL,
      content_type TEXT NOT NULL,
      sha256 TEXT,
      expected_sha256 TEXT,
      blob_key TEXT NOT NULL UNIQUE,
      blob_state TEXT NOT NULL CHECK (blob_state IN ('uploading', 'stored', 'quarantined', 'removing', 'removed')),
      scan_status TEXT NOT NULL CHECK (scan_status IN ('pending', 'scanning', 'clean', 'unavailable')),
      scan_reason TEXT CHECK (scan_reason IN ('infected', 'scan_failed')),
      scan_coverage TEXT CHECK (scan_coverage IN ('whole', 'windowed', 'none')),
      scan_detail TEXT,
      failure TEXT CHECK (failure IN ('digest_mismatch')),
      scanned_at INTEGER,
      status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'expired', 'deleted', 'dmca_removed')),
      immutable INTEGER NOT NULL DEFAULT 0,
      download_count INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      ended_at INTEGER,
      remove_at INTEGER,
      thumbnail_bytes INTEGER,
      thumbnail_width INTEGER,
      thumbnail_height INTEGER,
      name_key TEXT NOT NULL DEFAULT '',
      name_order TEXT NOT NULL DEFAULT '',
      request_id TEXT,
      submission_id TEXT,
      sent_name TEXT,
      sent_path TEXT,
      arrived_at INTEGER,
      is_encrypted INTEGER NOT NULL DEFAULT 0
    )`,
  "CREATE INDEX files_share ON files (short_id)",
  "CREATE INDEX files_owner ON files (owner_id) WHERE owner_id IS NOT NULL",
  `CREATE INDEX files_newest ON files (owner_id, created_at DESC, id DESC, status, blob_state)
      WHERE ${LISTED}`,
  `CREATE INDEX files_newest_in_folder ON files (owner_id, folder_id, created_at DESC, id DESC, status, blob_state)
      WHERE ${LISTED}`,
  "CREATE INDEX files_folder ON files (folder_id) WHERE folder_id IS NOT NULL",
  "CREATE INDEX files_removal ON files (remove_at) WHERE remove_at IS NOT NULL",
  "CREATE INDEX files_ended ON files (ended_at) WHERE ended_at IS NOT NULL",
  "CREATE INDEX files_scan ON files (scan_status, created_at) WHERE scan_status <> 'clean'",
  `CREATE TRIGGER files_listed_insert AFTER INSERT ON files WHEN ${listed("NEW.")} BEGIN ${addToTotals("NEW.", 1)}; END`,
  `CREATE TRIGGER files_listed_delete AFTER DELETE ON files WHEN ${listed("OLD.")} BEGIN ${addToTotals("OLD.", -1)}; END`,
  `CREATE TRIGGER files_listed_before AFTER ${LISTED_COLUMNS} WHEN ${listed("OLD.")} BEGIN ${addToTotals("OLD.", -1)}; END`,
  `CREATE TRIGGER files_listed_after AFTER ${LISTED_COLUMNS} WHEN ${listed("NEW.")} BEGIN ${addToTotals("NEW.", 1)}; END`,
  // The index finds the files of a shipment by path, which every file of a batch requires (uploads, "Many small files").
  "CREATE INDEX files_path ON files (short_id, relative_path) WHERE relative_path IS NOT NULL",
  // The index contains all columns that a search reads.
  `CREATE INDEX files_by_name ON files (owner_id, folder_id, name_order, id, status, blob_state, scan_status, size_bytes, created_at, name_key)
      WHERE ${LISTED}`,
  `CREATE INDEX files_by_size ON files (owner_id, folder_id, size_bytes, id, status, blob_state)
      WHERE ${LISTED}`,
  "CREATE INDEX files_request ON files (request_id, created_at DESC, id DESC) WHERE request_id IS NOT NULL",
  "CREATE INDEX files_submission ON files (submission_id, created_at, id) WHERE submission_id IS NOT NULL",
  // The index finds the files because of which a share is not on its owner's public page (sharing, "The public page").
  "CREATE INDEX files_not_ready ON files (short_id) WHERE status = 'active' AND (scan_status <> 'clean' OR blob_state <> 'stored')",
  // The index sorts by the same expression as the query (listing, "Files").
  `CREATE INDEX files_by_state ON files (
        owner_id,
        folder_id,
        CASE WHEN status <> 'active' THEN 0 WHEN scan_status = 'unavailable' THEN 1 WHEN scan_status <> 'clean' THEN 2 ELSE 3 END,
        id, status, blob_state, scan_status
      ) WHERE ${LISTED}`,
  `CREATE INDEX files_all_by_age ON files (created_at, ${FILTERED})
      WHERE ${MODERATED}`,
  `CREATE INDEX files_all_by_size ON files (size_bytes, ${FILTERED})
      WHERE ${MODERATED}`,
  // The index finds the files with a digest, for the blocklist (scanning, "The blocklist") and for administrators.
  "CREATE INDEX files_digest ON files (sha256) WHERE sha256 IS NOT NULL",
  // The index contains all columns that a list of runs, and the order of a run's files, read (listing, "Runs").
  `CREATE INDEX files_run ON files (owner_id, run_id, created_at, id, status, blob_state, size_bytes)
      WHERE run_id IS NOT NULL AND ${LISTED}`,
  `CREATE TABLE file_lineage (
      file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
      upstream_id TEXT NOT NULL,
      PRIMARY KEY (file_id, upstream_id)
    ) WITHOUT ROWID`,
  "CREATE INDEX file_lineage_upstream ON file_lineage (upstream_id)",
];
