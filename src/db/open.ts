import type { Database } from "./database.ts";
import { openLocal } from "./local.ts";
import { findLocalPath } from "./local-file.ts";
import type { Migration } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/index.ts";
import type { WriteLog } from "./watch-writes.ts";

export interface OpenOptions {
  /** The URL: `file:…` for a local file; `libsql://`, `https://`, `http://` or `wss://` for a libSQL server. */
  readonly url: string;
  /** The server's authentication token. */
  readonly token?: string;
  readonly log?: WriteLog;
  /** The migrations; default: the program's own. */
  readonly migrations?: readonly Migration[];
  /** For local files: receives, after each commit, the number of transactions in it. */
  readonly onCommit?: (transactions: number) => void;
  /** For local files: whether to reserve space for a full disk from the start. */
  readonly keepsReserve?: boolean;
  /** For local files: whether the process ends after the database is closed, so that its log can stay. */
  readonly keepsLog?: boolean;
}

/**
 * Opens the database and migrates its schema, first copying a local file to `{path}.before-{migration}`. Rejects with UNAVAILABLE if a
 * newer version of the program has used it, or if another process holds its lock for 15 seconds.
 */
export async function openDatabase({
  url,
  token,
  log,
  migrations = allMigrations,
  onCommit,
  keepsReserve,
  keepsLog,
}: OpenOptions): Promise<Database> {
  const onMigrated = (names: readonly string[]) => log?.info({ migrations: names }, "database migrated");
  const path = findLocalPath(url);
  const onMoved = (file: string | undefined) =>
    file === undefined
      ? log?.info({}, "database is where it was opened")
      : log?.error(
          { file },
          "database was moved, removed or emptied: put it back before the server ends, or restart the server with what is there",
        );
  if (path !== undefined) return openLocal({ path, migrations, onMigrated, onCommit, onMoved, keepsReserve, keepsLog });
  // Loads the client of remote servers on demand, because it is slow to load and a local file does not need it.
  const { openRemote } = await import("./remote.ts");
  return openRemote({ url, token, migrations, onMigrated, log });
}
