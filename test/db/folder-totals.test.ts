import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Db } from "../../src/db/database.ts";
import { LISTED } from "../../src/db/listing.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { testEach } from "./engines.ts";

const OWNERS = ["ada", "bob"];
const FOLDERS = ["ada-1", "ada-2", "bob-1"];

async function addPeople(db: Db): Promise<void> {
  for (const id of OWNERS) {
    await db
      .insertInto("users")
      .values({ id, name: id, email: `${id}@example.org`, created_at: 1, updated_at: 1 })
      .execute();
    await db.insertInto("shares").values({ short_id: id, kind: "shipment", owner_id: id, name: id, created_at: 1 }).execute();
  }
  for (const id of FOLDERS) {
    const owner_id = id.split("-")[0] ?? "";
    await db.insertInto("folders").values({ id, owner_id, name: id, created_at: 1, updated_at: 1 }).execute();
  }
}

const newFile = (id: string, owner_id: string, size_bytes: number) => ({
  id,
  short_id: owner_id,
  owner_id,
  quota_owner: owner_id,
  name: id,
  size_bytes,
  content_type: "text/plain",
  blob_key: id,
  blob_state: "uploading" as const,
  scan_status: "clean" as const,
  created_at: 1,
});

async function kept(db: Db): Promise<unknown[]> {
  return await db.selectFrom("folder_totals").selectAll().where("file_count", "<>", 0).orderBy("owner_id").orderBy("folder_id").execute();
}

async function counted(db: Db): Promise<unknown[]> {
  return await db
    .selectFrom("files")
    .select(["owner_id", sql`coalesce(folder_id, '')`.as("folder_id")])
    .select([sql`count(*)`.as("file_count"), sql`sum(size_bytes)`.as("total_bytes")])
    .where(LISTED)
    .groupBy(sql`1, 2`)
    .orderBy(sql`1, 2`)
    .execute();
}

testEach("the kept totals are those of a count, whatever happens to files", async (makeDatabase) => {
  await using database = await makeDatabase();
  const { db } = database;
  await addPeople(db);
  let seed = 7;
  const pick = <T>(items: readonly T[]): T => {
    seed = (seed * 48271) % 2147483647;
    return items[seed % items.length] as T;
  };
  for (let step = 0; step < 400; step += 1) {
    const id = `f${pick(Array.from({ length: 25 }, (_, number) => number))}`;
    const owner_id = pick(OWNERS);
    const change = pick([
      { blob_state: "stored" as const, size_bytes: step },
      { blob_state: "quarantined" as const },
      { status: pick(["active", "expired", "deleted", "dmca_removed"] as const) },
      { folder_id: pick([null, ...FOLDERS]) },
      { owner_id: pick([null, ...OWNERS]) },
      { download_count: step },
      undefined,
    ]);
    const known = await db.selectFrom("files").select("id").where("id", "=", id).executeTakeFirst();
    if (!known)
      await db
        .insertInto("files")
        .values(newFile(id, owner_id, step))
        .execute();
    else if (change) await db.updateTable("files").set(change).where("id", "=", id).execute();
    else await db.deleteFrom("files").where("id", "=", id).execute();
    assert.deepEqual(await kept(db), await counted(db));
  }
  assert.ok((await kept(db)).length > 1);
});

testEach("files that were there before are counted when the totals come", async (_, place) => {
  const before = migrations.filter(({ name }) => name < "0005");
  {
    await using database = await place.open({ migrations: before });
    await addPeople(database.db);
    for (const [id, size] of [
      ["x", 5],
      ["y", 7],
    ] as const) {
      await database.db
        .insertInto("files")
        .values({ ...newFile(id, "ada", size), blob_state: "stored" })
        .execute();
    }
  }
  await using database = await place.open();
  assert.deepEqual(await kept(database.db), [{ owner_id: "ada", folder_id: "", file_count: 2, total_bytes: 12 }]);
});
