import assert from "node:assert/strict";
import { migrations } from "../../src/db/migrations/index.ts";
import { listLapsedShares } from "../../src/db/shares.ts";
import { testEach } from "./engines.ts";

/** decisions, "Accounts, keys, tiers". */
testEach("an upgrade finds what a free account keeps of which nobody knows when its Pro ended", async (_, place) => {
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === "0010-ended-pro"),
  );
  assert.ok(before.length > 0);
  {
    await using old = await place.open({ migrations: before });
    for (const [id, tier] of [
      ["lost", "free"],
      ["pro", "pro"],
      ["never", "free"],
    ] as const) {
      await old.db
        .insertInto("users")
        .values({ id, name: id, email: `${id}@example.org`, tier, created_at: 0, updated_at: 0 })
        .execute();
      const expires_at = id === "never" ? 1 : null;
      const share = { short_id: `s-${id}`, kind: "file", owner_id: id, name: id, expires_at, created_at: 0 } as const;
      await old.db.insertInto("shares").values(share).execute();
      const file = { id: `f-${id}`, short_id: share.short_id, owner_id: id, quota_owner: id, name: id, size_bytes: 1 };
      const bytes = { content_type: "text/plain", blob_key: id, blob_state: "stored", scan_status: "clean", created_at: 0 } as const;
      await old.db
        .insertInto("files")
        .values({ ...file, ...bytes })
        .execute();
    }
  }
  await using database = await place.open();
  const lapsed = await listLapsedShares(database.db, Date.now() + 1000, 10);
  assert.deepEqual(
    lapsed.map(({ short_id }) => short_id),
    ["s-lost"],
  );
  assert.ok(Math.abs((lapsed[0]?.pro_until ?? 0) - Date.now()) < 60_000);
});
