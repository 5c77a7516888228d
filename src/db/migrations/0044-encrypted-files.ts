import type { Migration } from "../migrate.ts";

/** Whether a file's sender encrypted it, as its first bytes show; 0 of files before this column (encryption, "Encrypted files"). */
export const encryptedFiles: Migration = {
  name: "0044-encrypted-files",
  statements: ["ALTER TABLE files ADD COLUMN is_encrypted INTEGER NOT NULL DEFAULT 0"],
};
