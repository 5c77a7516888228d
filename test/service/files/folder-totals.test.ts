import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Db } from "../../../src/db/database.ts";
import { LISTED } from "../../../src/service/files/listing-queries.ts";
import { testEach } from "../../db/engines.ts";

const OWNERS = ["ada", "bob"];
const FOLDERS = ["ada-1", "ada-2", "bob-1"];

async function addOwners(db: Db): Promise<void> {
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

async function readTotals(db: Db): Promise<unknown[]> {
  return await db.selectFrom("folder_totals").selectAll().where("file_count", "<>", 0).orderBy("owner_id").orderBy("folder_id").execute();
}

async function countTotals(db: Db): Promise<unknown[]> {
  return await db
    .selectFrom("files")
    .select(["owner_id", sql`coalesce(folder_id, '')`.as("folder_id")])
    .select([sql`count(*)`.as("file_count"), sql`sum(size_bytes)`.as("total_bytes")])
    .where(LISTED)
    .groupBy(sql`1, 2`)
    .orderBy(sql`1, 2`)
    .execute();
}

testEach("the stored folder totals equal a count after every change of a file", async (makeDatabase) => {
  await using database = await makeDatabase();
  const { db } = database;
  await addOwners(db);
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
    const existing = await db.selectFrom("files").select("id").where("id", "=", id).executeTakeFirst();
    if (!existing)
      await db
        .insertInto("files")
        .values(newFile(id, owner_id, step))
        .execute();
    else if (change) await db.updateTable("files").set(change).where("id", "=", id).execute();
    else await db.deleteFrom("files").where("id", "=", id).execute();
    assert.deepEqual(await readTotals(db), await countTotals(db));
  }
  assert.ok((await readTotals(db)).length > 1);
});
