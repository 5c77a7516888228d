import type { Migration } from "../migrate.ts";

/**
 * Aliases of shares, which their owners choose (sharing, "Aliases").
 *
 * - `shares.alias`: the present alias of a share, which its links contain.
 * - `digest`: the keyed hash of an alias. It stays when the share and the account are gone, so that nobody else gets the alias.
 * - `alias`, `short_id`: null once the alias leads nowhere: its owner has removed it, or the row of its share has been deleted. The trigger
 * `shares_aliases` maintains them.
 * - `owner_id`: the account that can use the alias again; null once that has been deleted.
 */
export const aliases: Migration = {
  name: "0008-aliases",
  statements: [
    "ALTER TABLE shares ADD COLUMN alias TEXT",
    `CREATE TABLE share_aliases (
      digest TEXT PRIMARY KEY,
      alias TEXT UNIQUE,
      short_id TEXT,
      owner_id TEXT REFERENCES users (id) ON DELETE SET NULL,
      created_at INTEGER NOT NULL
    )`,
    "CREATE INDEX share_aliases_share ON share_aliases (short_id) WHERE short_id IS NOT NULL",
    "CREATE INDEX share_aliases_owner ON share_aliases (owner_id) WHERE owner_id IS NOT NULL",
    `CREATE TRIGGER shares_aliases BEFORE DELETE ON shares BEGIN
      UPDATE share_aliases SET alias = NULL, short_id = NULL WHERE short_id = OLD.short_id;
    END`,
  ],
};
