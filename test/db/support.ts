import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, Db } from "../../src/db/database.ts";
import type { Migration } from "../../src/db/migrate.ts";
import { REPLACED_MIGRATIONS } from "../../src/db/migrations/replaced-migrations.ts";
import { type OpenOptions, openDatabase } from "../../src/db/open.ts";

export interface FileLocation extends AsyncDisposable {
  readonly folder: string;
  readonly path: string;
  readonly url: string;
}

/** A path for a database in a temporary folder, removed at the end. */
export async function makeLocation(): Promise<FileLocation> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-db-"));
  const path = join(folder, "data", "filehost.db");
  return { folder, path, url: `file:${path}`, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

export interface TestDatabase extends Database {
  readonly location: FileLocation;
}

/** A new database with the whole schema. */
export async function makeDatabase(options: Omit<OpenOptions, "url"> = {}): Promise<TestDatabase> {
  const location = await makeLocation();
  const database = await openDatabase({ url: location.url, ...options });
  return {
    ...database,
    location,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await location[Symbol.asyncDispose]();
    },
  };
}

export async function putSetting(db: Db, name: string, value = ""): Promise<void> {
  await db.insertInto("server_state").values({ name, value }).execute();
}

export async function countSettings(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("server_state")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Adds one to a counter by reading and writing it back, which loses counts unless transactions are isolated. */
export async function countUp(transaction: Db, owner: string): Promise<void> {
  const row = await transaction.selectFrom("quotas").select("used_bytes").where("owner", "=", owner).executeTakeFirst();
  const used_bytes = (row?.used_bytes ?? 0) + 1;
  await transaction
    .insertInto("quotas")
    .values({ owner, used_bytes })
    .onConflict((oc) => oc.column("owner").doUpdateSet({ used_bytes }))
    .execute();
}

export async function readCount(db: Db, owner: string): Promise<number | undefined> {
  return (await db.selectFrom("quotas").select("used_bytes").where("owner", "=", owner).executeTakeFirst())?.used_bytes;
}

const FIXTURE = new URL("./fixtures/replaced-migrations.sql", import.meta.url);

/** The migrations that the first one of today replaces: their names, and in the first of them all that they made of a new database. */
export const replacedMigrations: readonly Migration[] = REPLACED_MIGRATIONS.map((name, index) => ({
  name,
  statements: index === 0 ? readFileSync(FIXTURE, "utf8").split(/(?<=;)\n\n/) : [],
}));

/** The migrations before those: their names, and one of their tables. */
export const FORMER_MIGRATIONS: readonly Migration[] = [
  { name: "0001-foundation", statements: ["CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"] },
  ...[
    "0002-rate-windows",
    "0003-imports",
    "0004-webhooks",
    "0005-agents",
    "0006-kept-shares",
    "0007-delegations",
    "0008-found-by-index",
    "0009-announced-parts",
    "0010-ended-pro",
    "0011-file-counts",
    "0012-fair-jobs",
    "0013-pro-shares",
  ].map((name) => ({ name, statements: [] })),
];
