/** Folders, and the number and size of the listed files in each. */
export const folders: readonly string[] = [
  `CREATE TABLE folders (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      parent_id TEXT REFERENCES folders (id),
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
  "CREATE INDEX folders_owner ON folders (owner_id, parent_id, name)",
  "CREATE INDEX folders_parent ON folders (parent_id) WHERE parent_id IS NOT NULL",
  `CREATE TRIGGER folders_delete_totals AFTER DELETE ON folders BEGIN
      DELETE FROM folder_totals WHERE owner_id = OLD.owner_id AND folder_id = OLD.id;
    END`,
  // Triggers on `files` maintain this table for every statement that changes files.
  `CREATE TABLE folder_totals (
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      folder_id TEXT NOT NULL,
      file_count INTEGER NOT NULL,
      total_bytes INTEGER NOT NULL,
      PRIMARY KEY (owner_id, folder_id)
    ) WITHOUT ROWID`,
];
