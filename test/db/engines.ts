import { test } from "node:test";
import { createClient } from "@libsql/client";
import type { Database } from "../../src/db/database.ts";
import type { Migration } from "../../src/db/migrate.ts";
import { migrations as allMigrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { openRemote } from "../../src/db/remote.ts";
import { startLibsqlServer } from "../support/services/libsql-server.ts";
import { makeLocation } from "./support.ts";

export interface Opening {
  readonly migrations?: readonly Migration[];
  readonly onMigrated?: (names: readonly string[]) => void;
  readonly transactionLimitMs?: number;
}

/** A database location that can be opened any number of times. */
export interface DatabaseLocation extends AsyncDisposable {
  open(options?: Opening): Promise<Database>;
}

/** Makes a new database with the whole schema; it is deleted with its location. */
export type MakeDatabase = () => Promise<Database>;

/** The database engines: a file, the client of database servers on a file, and that client on a server. */
const engines: Readonly<Record<string, () => Promise<DatabaseLocation>>> = {
  "a file": async () => {
    const location = await makeLocation();
    return {
      open: ({ migrations, onMigrated } = {}) =>
        openDatabase({
          url: location.url,
          migrations,
          log: { info: (fields) => "migrations" in fields && onMigrated?.(fields.migrations as string[]), error: () => {} },
        }),
      [Symbol.asyncDispose]: () => location[Symbol.asyncDispose](),
    };
  },
  "the client on a file": async () => {
    const location = await makeLocation();
    const url = `file:${location.folder}/remote.db`;
    return {
      open: ({ migrations = allMigrations, ...options } = {}) => openRemote({ url, migrations, ...options }),
      [Symbol.asyncDispose]: () => location[Symbol.asyncDispose](),
    };
  },
  "a server": async () => {
    const server = await discoverServer();
    const { url, token } = server;
    return {
      open: ({ migrations = allMigrations, ...options } = {}) => openRemote({ url, token, migrations, ...options }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

export interface EachOptions {
  /** An engine that is left out. */
  readonly except?: "the client on a file";
}

/** Registers a test for each engine. */
export function testEach(
  name: string,
  run: (makeDatabase: MakeDatabase, location: DatabaseLocation) => Promise<void>,
  { except }: EachOptions = {},
): void {
  for (const [engine, makeEngine] of Object.entries(engines)) {
    if (engine === except) continue;
    test(`${engine}: ${name}`, async () => {
      await using location = await makeEngine();
      await run(() => location.open(), location);
    });
  }
}

/** The server that the environment names, whose database is emptied, or else the substitute. */
async function discoverServer(): Promise<{ readonly url: string; readonly token: string | undefined } & AsyncDisposable> {
  const { FILEHOST_TEST_LIBSQL_URL: url, FILEHOST_TEST_LIBSQL_TOKEN: token } = process.env;
  if (!url) return await startLibsqlServer();
  const client = createClient({ url, authToken: token });
  const { rows } = await client.execute(
    "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'libsql_*'",
  );
  await client.migrate(rows.map(({ type, name }) => `DROP ${String(type)} "${String(name)}"`));
  client.close();
  return { url, token, [Symbol.asyncDispose]: async () => {} };
}
