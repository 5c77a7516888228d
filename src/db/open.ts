import type { Database } from "./database.ts";
import { openLocal } from "./local.ts";
import { findLocalPath } from "./local-file.ts";
import type { Migration } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/index.ts";
import type { WriteLog } from "./watch-writes.ts";

export interface OpenOptions {
  /** `file:…` for a local file; `libsql://`, `https://`, `http://` or `wss://` for a libSQL server. */
  readonly url: string;
  /** The server's authentication token. */
  readonly token?: string;
  readonly log?: WriteLog;
  /** The program's own by default. */
  readonly migrations?: readonly Migration[];
  /** Local files: called after each commit with the number of transactions in it. */
  readonly onCommit?: (transactions: number) => void;
  /** Local files: whether to keep room for a full disk from the start. */
  readonly keepsReserve?: boolean;
  /** Local files: whether the process ends after the database is closed, so that its log can stay. */
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
  if (path !== undefined) return openLocal({ path, migrations, onMigrated, onCommit, keepsReserve, keepsLog });
  // Loaded on demand: the client of remote servers takes long to load, and a local file does not need it.
  const { openRemote } = await import("./remote.ts");
  return openRemote({ url, token, migrations, onMigrated, log });
}
