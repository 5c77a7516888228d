import type { Migration } from "../migrate.ts";

/** The files that `GET /files/list` shows; the same words as `LISTED` in `db/listing.ts`, so that the partial indexes are used. */
const listed = (row: string): string =>
  `${row}owner_id IS NOT NULL AND ${row}status IN ('active', 'dmca_removed') AND ${row}blob_state <> 'uploading'`;

const changed = `UPDATE OF owner_id, folder_id, size_bytes, status, blob_state ON files`;

/** Adds (or takes away) a file from the totals of its folder. */
const add = (row: "NEW." | "OLD.", sign: 1 | -1): string =>
  `INSERT INTO folder_totals (owner_id, folder_id, file_count, total_bytes)
    VALUES (${row}owner_id, coalesce(${row}folder_id, ''), ${sign}, ${sign} * ${row}size_bytes)
    ON CONFLICT (owner_id, folder_id) DO UPDATE SET
      file_count = file_count + excluded.file_count,
      total_bytes = total_bytes + excluded.total_bytes`;

/**
 * Agents that register themselves, and listings that stay quick in large accounts. The totals are kept by triggers, so that they are exact
 * whoever changes a file, and counting 100,000 files is reading one row.
 */
export const agents: Migration = {
  name: "0005-agents",
  statements: [
    `CREATE TABLE challenges (
      id TEXT PRIMARY KEY,
      subject TEXT NOT NULL,
      difficulty INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) WITHOUT ROWID`,
    `CREATE INDEX challenges_age ON challenges (expires_at)`,
    `ALTER TABLE users ADD COLUMN agent_group TEXT`,
    `CREATE INDEX users_agents ON users (created_at) WHERE role = 'agent'`,
    `DROP INDEX files_owner`,
    `CREATE INDEX files_owner ON files (owner_id) WHERE owner_id IS NOT NULL`,
    `CREATE INDEX files_newest ON files (owner_id, created_at DESC, id DESC, status, blob_state) WHERE ${listed("")}`,
    `CREATE INDEX files_newest_in_folder ON files (owner_id, folder_id, created_at DESC, id DESC, status, blob_state) WHERE ${listed("")}`,
    `CREATE TABLE folder_totals (
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      folder_id TEXT NOT NULL,
      file_count INTEGER NOT NULL,
      total_bytes INTEGER NOT NULL,
      PRIMARY KEY (owner_id, folder_id)
    ) WITHOUT ROWID`,
    `INSERT INTO folder_totals (owner_id, folder_id, file_count, total_bytes)
      SELECT owner_id, coalesce(folder_id, ''), count(*), sum(size_bytes) FROM files WHERE ${listed("")} GROUP BY 1, 2`,
    `CREATE TRIGGER files_listed_insert AFTER INSERT ON files WHEN ${listed("NEW.")} BEGIN ${add("NEW.", 1)}; END`,
    `CREATE TRIGGER files_listed_delete AFTER DELETE ON files WHEN ${listed("OLD.")} BEGIN ${add("OLD.", -1)}; END`,
    `CREATE TRIGGER files_listed_before AFTER ${changed} WHEN ${listed("OLD.")} BEGIN ${add("OLD.", -1)}; END`,
    `CREATE TRIGGER files_listed_after AFTER ${changed} WHEN ${listed("NEW.")} BEGIN ${add("NEW.", 1)}; END`,
    `CREATE TRIGGER folders_forget_totals AFTER DELETE ON folders BEGIN
      DELETE FROM folder_totals WHERE owner_id = OLD.owner_id AND folder_id = OLD.id;
    END`,
  ],
};
