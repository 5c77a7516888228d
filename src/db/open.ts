import type { Database } from "./database.ts";
import { openLocal } from "./local.ts";
import { findLocalPath } from "./local-file.ts";
import type { Migration } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/index.ts";

export interface OpenOptions {
  /** `file:…` for a file of this machine; `libsql://`, `https://`, `http://` or `wss://` for a libSQL server. */
  readonly url: string;
  /** What the server wants to see. */
  readonly token?: string;
  readonly log?: { info(fields: object, message: string): void };
  /** The schema's steps; the program's own by default. */
  readonly migrations?: readonly Migration[];
  /** Called after each commit to a file with the number of transactions that it made durable together. */
  readonly onCommit?: (transactions: number) => void;
}

/**
 * Opens the database and brings its schema up to date, first keeping a copy of a local file at `{path}.before-{migration}`.
 * Rejects with UNAVAILABLE where a newer version of the program has used it, or another process holds its lock for 15 seconds.
 */
export async function openDatabase({ url, token, log, migrations = allMigrations, onCommit }: OpenOptions): Promise<Database> {
  const onMigrated = (names: readonly string[]) => log?.info({ migrations: names }, "The database's schema is up to date");
  const path = findLocalPath(url);
  if (path !== undefined) return openLocal({ path, migrations, onMigrated, onCommit });
  // Loaded on demand: the client of remote servers takes a while to start, and a local file needs none of it.
  const { openRemote } = await import("./remote.ts");
  return openRemote({ url, token, migrations, onMigrated });
}
