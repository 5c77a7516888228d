import assert from "node:assert/strict";
import { migrations } from "../../src/db/migrations/index.ts";
import { findQuota, reserveQuota, sumQuotas } from "../../src/db/quotas.ts";
import { testEach } from "./engines.ts";

/** decisions, "Accounts, keys, tiers". */
testEach("an upgrade counts the files of each quota, those of no bytes and those under way too", async (_, place) => {
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === "0011-file-counts"),
  );
  assert.ok(before.length > 0);
  {
    await using old = await place.open({ migrations: before });
    await old.db.insertInto("shares").values({ short_id: "s", kind: "file", name: "s", created_at: 0 }).execute();
    const rows = [
      ["user:a", "stored", 10],
      ["user:a", "quarantined", 20],
      ["user:a", "removing", 30],
      ["user:a", "gone", 40],
      ["user:a", "uploading", 0],
      ["anon:empty", "stored", 0],
      ["user:none", "gone", 5],
    ] as const;
    for (const [n, [quota_owner, blob_state, size_bytes]] of rows.entries()) {
      const file = { id: `f${n}`, short_id: "s", quota_owner, name: "f", size_bytes, content_type: "text/plain", created_at: 0 };
      await old.db
        .insertInto("files")
        .values({ ...file, blob_key: `b${n}`, blob_state, scan_status: "clean" })
        .execute();
    }
    // As its columns were before; the query builder's table has the new one.
    await old.db.insertInto("quotas").values({ owner: "user:a", used_bytes: 60, reserved_bytes: 7 }).execute();
    await old.db.insertInto("quotas").values({ owner: "user:none", used_bytes: 0 }).execute();
  }
  await using database = await place.open();
  assert.deepEqual(await findQuota(database.db, "user:a"), { usedBytes: 60, reservedBytes: 7, files: 4 });
  assert.deepEqual(await findQuota(database.db, "anon:empty"), { usedBytes: 0, reservedBytes: 0, files: 1 });
  assert.equal((await findQuota(database.db, "user:none")).files, 0);
  assert.equal((await sumQuotas(database.db, "anon:")).files, 1);
});

/** interface, "Limits"; decisions, "Accounts, keys, tiers". */
testEach("of many at once, as many files fit as the limit allows; what has begun may grow past a limit that was lowered", async (make) => {
  await using database = await make();
  const reserve = (files: number, limitFiles: number, bytes = 0) =>
    reserveQuota(database.db, { owner: "user:a", bytes, limitBytes: 100, files, limitFiles });
  const taken = await Promise.all(Array.from({ length: 20 }, () => reserve(1, 7)));
  assert.equal(taken.filter(Boolean).length, 7);
  assert.deepEqual([await reserve(0, 3, 10), await reserve(1, 3)], [true, false]);
  assert.equal(await reserve(1, 8, 200), false);
  assert.deepEqual(await findQuota(database.db, "user:a"), { usedBytes: 0, reservedBytes: 10, files: 7 });
});
