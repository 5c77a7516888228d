import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, Db } from "../../src/db/database.ts";
import { type OpenOptions, openDatabase } from "../../src/db/open.ts";

export interface TestFile extends AsyncDisposable {
  readonly folder: string;
  readonly path: string;
  readonly url: string;
}

/** A place for a database in a temporary folder, removed at the end. */
export async function makePlace(): Promise<TestFile> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-db-"));
  const path = join(folder, "data", "filehost.db");
  return { folder, path, url: `file:${path}`, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

export interface TestDatabase extends Database {
  readonly place: TestFile;
}

/** A new database with the whole schema. */
export async function makeDatabase(options: Omit<OpenOptions, "url"> = {}): Promise<TestDatabase> {
  const place = await makePlace();
  const database = await openDatabase({ url: place.url, ...options });
  return {
    ...database,
    place,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

export async function putSetting(db: Db, name: string, value = ""): Promise<void> {
  await db.insertInto("settings").values({ name, value }).execute();
}

export async function countSettings(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("settings")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Adds one to a counter by reading and writing it back, which loses counts where transactions are not kept apart. */
export async function countUp(tx: Db, owner: string): Promise<void> {
  const row = await tx.selectFrom("quotas").select("used_bytes").where("owner", "=", owner).executeTakeFirst();
  const used_bytes = (row?.used_bytes ?? 0) + 1;
  await tx
    .insertInto("quotas")
    .values({ owner, used_bytes })
    .onConflict((oc) => oc.column("owner").doUpdateSet({ used_bytes }))
    .execute();
}

export async function readCount(db: Db, owner: string): Promise<number | undefined> {
  return (await db.selectFrom("quotas").select("used_bytes").where("owner", "=", owner).executeTakeFirst())?.used_bytes;
}
