import { withDatabase } from "../support/servers/state.ts";

/**
 * Sets the expiry of a share to the past, in a separate process: SQLite deletes the log when the last connection is closed, which in the
 * process of the tests is when its garbage is collected. Arguments: data folder, ID of the share.
 */
const [dataDir = "", shortId = ""] = process.argv.slice(2);
await withDatabase({ dataDir }, (db) =>
  db
    .updateTable("shares")
    .set({ expires_at: Date.now() - 1 })
    .where("short_id", "=", shortId)
    .execute(),
);
