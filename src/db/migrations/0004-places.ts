import type { Migration } from "../migrate.ts";

/**
 * Returns the condition of files that `GET /files/list` shows, in the words of `LISTED` in `service/files/`, so that SQLite uses the partial
 * indexes.
 */
const listed = (row: "" | "NEW." | "OLD."): string =>
  `${row}owner_id IS NOT NULL AND ${row}status IN ('active', 'dmca_removed') AND ${row}blob_state <> 'uploading' AND ${row}is_repeat = 0`;

const LISTED = listed("");
const LISTED_COLUMNS = "UPDATE OF owner_id, folder_id, size_bytes, status, blob_state, is_repeat ON files";

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

/** The columns of the former table, which the new one also has. */
const KEPT = `id, short_id, owner_id, quota_owner, folder_id, run_id, name, relative_path, size_bytes, content_type, sha256,
  expected_sha256, blob_key, blob_state, scan_status, scan_reason, scan_coverage, scan_detail, failure, scanned_at,
  status, immutable, download_count, created_at, ended_at, remove_at, thumbnail_bytes, thumbnail_width, thumbnail_height,
  name_key, name_order, request_id, submission_id, sent_name, sent_path, arrived_at, is_encrypted, crc32, modified_at,
  is_executable, image_width, image_height, image_placeholder, reduced_bytes`;

/** The ID of the oldest active place of a changed row's file. */
const OLDEST = `(SELECT oldest.id FROM files AS oldest WHERE oldest.origin_id = NEW.origin_id AND oldest.status = 'active'
    ORDER BY oldest.placed_at, oldest.id LIMIT 1)`;

/** A place with the same bytes as a deleted row. */
const HEIR = `(SELECT heir.id FROM files AS heir WHERE heir.blob_key = OLD.blob_key
    AND heir.blob_state IN ('stored', 'quarantined', 'removing') AND heir.id <> OLD.id LIMIT 1)`;
/** The takedowns of items that are taken down: the ID of each is that of its share or file. */
const FORMER_TAKEDOWNS = [
  `INSERT INTO withdrawals (id, kind, short_id, created_at, remove_at)
    SELECT short_id, 'takedown', short_id, coalesce(ended_at, created_at), coalesce(
      (SELECT max(files.remove_at) FROM files WHERE files.short_id = shares.short_id), ended_at, created_at)
    FROM shares WHERE status = 'dmca_removed' AND redirect_to IS NULL`,
  `INSERT INTO withdrawals (id, kind, created_at, remove_at)
    SELECT files.id, 'takedown', coalesce(files.ended_at, files.created_at), coalesce(files.remove_at, files.ended_at, files.created_at)
    FROM files JOIN shares ON shares.short_id = files.short_id WHERE files.status = 'dmca_removed' AND shares.status <> 'dmca_removed'`,
  `INSERT INTO withdrawn_files (withdrawal_id, file_id)
    SELECT CASE shares.status WHEN 'dmca_removed' THEN files.short_id ELSE files.id END, files.id
    FROM files JOIN shares ON shares.short_id = files.short_id WHERE files.status = 'dmca_removed'`,
  "UPDATE shares SET takedown_id = coalesce(redirect_to, short_id) WHERE status = 'dmca_removed'",
];

/**
 * Places of files in shares (model, "Places"). A row of `files` is a place; rows with the same bytes have the same `blob_key`, which was unique.
 * SQLite cannot remove that condition from a column, so the table is created again.
 *
 * - `origin_id`: the ID of the file's first place; null while it has had only one.
 * - `is_repeat`: whether the owner's list shows the file by an older place. The trigger `files_places` maintains it.
 * - `placed_at`: when the place was added; null for the first one.
 * - `owner_name`: the name in the owner's list, if a rename has made it another one than the name in the share.
 * - `status_before_takedown`: the status that the end of a takedown restores, or `deleted` if the owner has deleted the place meanwhile, so that none
 * is restored; null for a place that is not taken down, or was before this migration.
 *
 * A withdrawal ends all places of files: a takedown, which can be undone, or a deletion of all links. `withdrawn_files` has the IDs that all places
 * of a file have in common. Items that are taken down already get a takedown for each share, and for each file in an open share.
 */
export const places: Migration = {
  name: "0004-places",
  statements: [
    `CREATE TABLE files_with_places (
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
      blob_key TEXT NOT NULL,
      blob_state TEXT NOT NULL CHECK (blob_state IN ('uploading', 'stored', 'quarantined', 'removing', 'removed')),
      scan_status TEXT NOT NULL CHECK (scan_status IN ('pending', 'scanning', 'clean', 'unavailable')),
      scan_reason TEXT CHECK (scan_reason IN ('infected', 'scan_failed')),
      scan_coverage TEXT CHECK (scan_coverage IN ('whole', 'windowed', 'none')),
      scan_detail TEXT,
      failure TEXT CHECK (failure IN ('digest_mismatch', 'blocklisted')),
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
      is_encrypted INTEGER NOT NULL DEFAULT 0,
      crc32 INTEGER,
      modified_at INTEGER,
      is_executable INTEGER NOT NULL DEFAULT 0,
      image_width INTEGER,
      image_height INTEGER,
      image_placeholder TEXT,
      reduced_bytes INTEGER,
      origin_id TEXT,
      is_repeat INTEGER NOT NULL DEFAULT 0,
      placed_at INTEGER,
      owner_name TEXT,
      status_before_takedown TEXT CHECK (status_before_takedown IN ('active', 'expired', 'deleted'))
    )`,
    `INSERT INTO files_with_places (${KEPT}) SELECT ${KEPT} FROM files`,
    // Only this text told which files the blocklist made unavailable.
    `UPDATE files_with_places SET failure = 'blocklisted'
        WHERE scan_status = 'unavailable' AND scan_detail = 'its SHA-256 is on the blocklist'`,
    "DROP TABLE files",
    "ALTER TABLE files_with_places RENAME TO files",
    "CREATE INDEX files_share ON files (short_id)",
    "CREATE INDEX files_owner ON files (owner_id) WHERE owner_id IS NOT NULL",
    `CREATE INDEX files_newest ON files (owner_id, created_at DESC, id DESC, status, blob_state, is_repeat)
        WHERE ${LISTED}`,
    `CREATE INDEX files_newest_in_folder ON files (owner_id, folder_id, created_at DESC, id DESC, status, blob_state, is_repeat)
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
    `CREATE INDEX files_by_name ON files (owner_id, folder_id, name_order, id, status, blob_state, is_repeat, scan_status, size_bytes, created_at, name_key)
        WHERE ${LISTED}`,
    `CREATE INDEX files_by_size ON files (owner_id, folder_id, size_bytes, id, status, blob_state, is_repeat)
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
          id, status, blob_state, is_repeat, scan_status
        ) WHERE ${LISTED}`,
    `CREATE INDEX files_all_by_age ON files (created_at, ${FILTERED})
        WHERE ${MODERATED}`,
    `CREATE INDEX files_all_by_size ON files (size_bytes, ${FILTERED})
        WHERE ${MODERATED}`,
    // The index finds the files with a digest, for the blocklist (scanning, "The blocklist") and for administrators.
    "CREATE INDEX files_digest ON files (sha256) WHERE sha256 IS NOT NULL",
    // The index contains all columns that a list of runs, and the order of a run's files, read (listing, "Runs").
    `CREATE INDEX files_run ON files (owner_id, run_id, created_at, id, status, blob_state, is_repeat, size_bytes)
        WHERE run_id IS NOT NULL AND ${LISTED}`,
    // The index finds whether a blob is needed, and by which account, by one entry of any number of places.
    "CREATE INDEX files_blob ON files (blob_key, blob_state, quota_owner)",
    "CREATE INDEX files_places ON files (origin_id, status, placed_at, id) WHERE origin_id IS NOT NULL",
    "CREATE INDEX files_shown_place ON files (origin_id) WHERE origin_id IS NOT NULL AND is_repeat = 0",
    `CREATE TRIGGER files_places AFTER UPDATE OF status ON files WHEN NEW.origin_id IS NOT NULL AND NEW.status <> OLD.status BEGIN
      UPDATE files SET is_repeat = 1 WHERE origin_id = NEW.origin_id AND is_repeat = 0 AND id <> ${OLDEST};
      UPDATE files SET is_repeat = 0 WHERE id = ${OLDEST} AND is_repeat = 1;
    END`,
    // A scan of any place compares the digests of the parts, so they outlive the place that was uploaded.
    `CREATE TRIGGER files_expected_parts BEFORE DELETE ON files WHEN OLD.origin_id IS NOT NULL BEGIN
      UPDATE expected_parts SET file_id = ${HEIR} WHERE file_id = OLD.id AND ${HEIR} IS NOT NULL;
    END`,
    "ALTER TABLE shares ADD COLUMN takedown_id TEXT",
    `CREATE TABLE withdrawals (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('takedown', 'deletion')),
      short_id TEXT,
      created_at INTEGER NOT NULL,
      remove_at INTEGER NOT NULL,
      undone_at INTEGER
    )`,
    `CREATE TABLE withdrawn_files (
      withdrawal_id TEXT NOT NULL REFERENCES withdrawals (id) ON DELETE CASCADE,
      file_id TEXT NOT NULL,
      PRIMARY KEY (withdrawal_id, file_id)
    ) WITHOUT ROWID`,
    "CREATE INDEX withdrawn_files_file ON withdrawn_files (file_id)",
    "CREATE INDEX withdrawals_share ON withdrawals (short_id) WHERE short_id IS NOT NULL",
    "CREATE INDEX withdrawals_removal ON withdrawals (remove_at)",
    ...FORMER_TAKEDOWNS,
  ],
};
