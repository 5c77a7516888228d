import type { Migration } from "../migrate.ts";

/** Finds the files of a shipment by path, which every file of a batch needs (uploads, "Many small files"). */
export const filesByPath: Migration = {
  name: "0005-files-by-path",
  statements: [`CREATE INDEX files_path ON files (short_id, relative_path) WHERE relative_path IS NOT NULL`],
};
