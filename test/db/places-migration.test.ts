import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Db } from "../../src/db/database.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { COPIED, toOwn } from "../../src/service/files/places.ts";
import { countBlobRows, listBlobRows, readBlobStates } from "../../src/service/maintenance/copy-storage/queries.ts";
import { testEach } from "./engines.ts";

const BEFORE = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name.endsWith("-places")),
);

async function fill(db: Db): Promise<void> {
  const statements = [
    "INSERT INTO users (id, name, email, created_at, updated_at) VALUES ('u', 'Ada', 'ada@example.org', 1, 1)",
    "INSERT INTO folders (id, owner_id, name, created_at, updated_at) VALUES ('d', 'u', 'Kept', 1, 1)",
    "INSERT INTO shares (short_id, kind, owner_id, name, created_at) VALUES ('s', 'shipment', 'u', 'S', 1)",
    `INSERT INTO files (id, short_id, owner_id, quota_owner, folder_id, name, size_bytes, content_type, blob_key, blob_state, scan_status, created_at, crc32)
      SELECT 'f' || value, 's', 'u', 'user:u', iif(value % 2, 'd', NULL), 'f' || value, 10, 'text/plain', 'b' || value, 'stored', 'clean', value, value
      FROM json_each('[1,2,3,4,5]')`,
    // The sentence told which files the blocklist made unavailable; f5 was rescanned after it was blocked.
    `UPDATE files SET scan_status = iif(id = 'f4', 'unavailable', 'clean'), scan_detail = 'its SHA-256 is on the blocklist' WHERE id IN ('f4', 'f5')`,
    "INSERT INTO file_lineage (file_id, upstream_id) VALUES ('f1', 'f2')",
    "INSERT INTO download_grants (id, file_id, budget_bytes, expires_at) VALUES ('g', 'f3', 10, 99)",
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const readAll = async (db: Db, table: string): Promise<readonly unknown[]> =>
  (await sql`SELECT * FROM ${sql.table(table)} ORDER BY 1, 2`.execute(db)).rows;

/** model, "Places". */
testEach("files keep their rows, references and totals when the table gets places", async (_, location) => {
  let before: readonly (readonly unknown[])[];
  const tables = ["file_lineage", "download_grants", "folder_totals"];
  {
    await using former = await location.open({ migrations: BEFORE });
    await fill(former.db);
    before = await Promise.all(tables.map((table) => readAll(former.db, table)));
  }
  await using database = await location.open();
  const { db } = database;
  assert.deepEqual(await Promise.all(tables.map((table) => readAll(db, table))), before);
  const files = await db.selectFrom("files").selectAll().orderBy("id").execute();
  assert.deepEqual(
    files.map(({ id, blob_key, crc32, origin_id, is_repeat, placed_at, owner_name }) => [
      id,
      blob_key,
      crc32,
      origin_id,
      is_repeat,
      placed_at,
      owner_name,
    ]),
    [1, 2, 3, 4, 5].map((n) => [`f${n}`, `b${n}`, n, null, 0, null, null]),
  );
  assert.deepEqual(
    files.flatMap(({ id, failure }) => (failure === null ? [] : [[id, failure]])),
    [["f4", "blocklisted"]],
  );
  await db.deleteFrom("files").where("id", "=", "f3").execute();
  assert.deepEqual(await readAll(db, "download_grants"), [], "references still cascade");
});

/** expiry, "Takedown". */
testEach("items that were taken down before get a takedown, which can be undone", async (_, location) => {
  {
    await using former = await location.open({ migrations: BEFORE });
    await fill(former.db);
    const statements = [
      "INSERT INTO shares (short_id, kind, owner_id, name, status, created_at, ended_at) VALUES ('t', 'shipment', 'u', 'T', 'dmca_removed', 1, 50)",
      "INSERT INTO shares (short_id, kind, owner_id, name, status, created_at, ended_at, redirect_to) VALUES ('l', 'file', 'u', 'L', 'dmca_removed', 1, 50, 't')",
      "UPDATE files SET short_id = 't', status = 'dmca_removed', ended_at = 50, remove_at = 90 WHERE id IN ('f4', 'f5')",
      "UPDATE files SET status = 'dmca_removed', ended_at = 60, remove_at = 80 WHERE id = 'f1'",
    ];
    for (const statement of statements) await sql.raw(statement).execute(former.db);
  }
  await using database = await location.open();
  const { db } = database;
  const withdrawals = await db.selectFrom("withdrawals").select(["id", "kind", "short_id", "remove_at"]).orderBy("id").execute();
  assert.deepEqual(withdrawals, [
    { id: "f1", kind: "takedown", short_id: null, remove_at: 80 },
    { id: "t", kind: "takedown", short_id: "t", remove_at: 90 },
  ]);
  assert.deepEqual(
    (await readAll(db, "withdrawn_files")).map((row) => Object.values(row as object)),
    [
      ["f1", "f1"],
      ["t", "f4"],
      ["t", "f5"],
    ],
  );
  const shares = await db.selectFrom("shares").select(["short_id", "takedown_id"]).orderBy("short_id").execute();
  assert.deepEqual(shares.map(Object.values), [
    ["l", "t"],
    ["s", null],
    ["t", "t"],
  ]);
});

/** model, "Places": the oldest active place represents a file, whatever ends or restores the others. */
testEach("the trigger shows a file by its oldest active place", async (make) => {
  await using database = await make();
  const { db } = database;
  await fill(db);
  await sql`UPDATE files SET origin_id = 'f1', blob_key = 'b1', folder_id = 'd', is_repeat = iif(id = 'f1', 0, 1), placed_at = iif(id = 'f1', NULL, created_at)
    WHERE id IN ('f1', 'f2', 'f3')`.execute(db);
  const shown = async (): Promise<unknown> => {
    const rows = await db.selectFrom("files").select("id").where("origin_id", "=", "f1").where("is_repeat", "=", 0).execute();
    const [total] = (await readAll(db, "folder_totals")).filter((row) => (row as { folder_id: string }).folder_id === "d");
    return [rows.map(({ id }) => id), (total as { file_count: number }).file_count];
  };
  const set = (id: string, status: "active" | "expired" | "dmca_removed") =>
    db.updateTable("files").set({ status }).where("id", "=", id).execute();
  assert.deepEqual(await shown(), [["f1"], 2]);
  await set("f2", "expired");
  assert.deepEqual(await shown(), [["f1"], 2]);
  await set("f1", "expired");
  assert.deepEqual(await shown(), [["f3"], 2]);
  await set("f3", "dmca_removed");
  assert.deepEqual(await shown(), [["f3"], 2], "a file that was taken down stays in the list");
  await set("f1", "active");
  assert.deepEqual(await shown(), [["f1"], 2]);
  await db.updateTable("files").set({ status: "deleted" }).where("origin_id", "=", "f1").execute();
  assert.deepEqual(((await shown()) as unknown[])[1], 1);
});

/** storage, "Changing the store". */
testEach("a copy of the store has each blob once, and keeps it while a row needs it", async (make) => {
  await using database = await make();
  const { db } = database;
  await fill(db);
  await sql`UPDATE files SET origin_id = 'f1', blob_key = 'b1' WHERE id IN ('f1', 'f2', 'f3')`.execute(db);
  for (const id of ["f1", "f3"]) {
    await sql`UPDATE files SET blob_state = 'stored'`.execute(db);
    await db.updateTable("files").set({ blob_state: "removed" }).where("id", "=", id).execute();
    assert.equal((await readBlobStates(db, ["b1"])).get("b1"), "stored");
    assert.deepEqual(
      (await listBlobRows(db, { after: "", limit: 10 })).map(({ blob_key }) => blob_key),
      ["b1", "b4", "b5"],
    );
    assert.deepEqual(await countBlobRows(db), { files: 3, bytes: 30 });
  }
  await sql`UPDATE files SET blob_state = 'removed'`.execute(db);
  assert.equal((await readBlobStates(db, ["b1"])).get("b1"), "removed");
});

testEach("every column of a place is copied from the chosen place, or its own", async (make) => {
  await using database = await make();
  const { rows } = await sql<{ readonly name: string }>`SELECT name FROM pragma_table_info('files')`.execute(database.db);
  const own = Object.keys(toOwn({ shortId: "", quotaOwner: "", nowMs: 0 }));
  assert.deepEqual([...COPIED, ...own].sort(), rows.map(({ name }) => name).sort());
});
