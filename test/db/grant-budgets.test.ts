import assert from "node:assert/strict";
import { sql } from "kysely";
import { migrations } from "../../src/db/migrations/index.ts";
import { testEach } from "./engines.ts";

/** selling, "What buyers keep". */
testEach(
  "an upgrade gives buyers room to repeat the downloads that they have begun, also those that a crash broke",
  async (_, location) => {
    {
      await using former = await location.open({ migrations: migrations.filter(({ name }) => name < "0049") });
      const { db } = former;
      await sql`INSERT INTO shares (short_id, kind, owner_id, name, created_at) VALUES ('s', 'file', NULL, 'n', 1)`.execute(db);
      await sql`INSERT INTO files (id, short_id, quota_owner, name, size_bytes, content_type, blob_key, blob_state, scan_status, created_at)
      VALUES ('f', 's', 'q', 'n', 10, 't', 'b', 'stored', 'clean', 1)`.execute(db);
      const grants = [
        { id: "begun", budget: 15, completedAt: null, isBought: true },
        { id: "by an archive", budget: -1, completedAt: null, isBought: true },
        { id: "complete", budget: 5, completedAt: 1, isBought: true },
        { id: "not bought", budget: -1, completedAt: null, isBought: false },
      ];
      for (const { id, budget, completedAt, isBought } of grants) {
        await sql`INSERT INTO download_grants (id, file_id, budget_bytes, completed_at, expires_at)
        VALUES (${id}, 'f', ${budget}, ${completedAt}, 2)`.execute(db);
        await sql`INSERT INTO purchases (id, short_id, seller_id, amount_cents, fee_cents, created_at, expires_at)
        VALUES (${id}, 's', 'u', 100, 0, 1, 1)`.execute(db);
        await sql`INSERT INTO purchase_downloads (purchase_id, file_id, grant_id) VALUES (${id}, 'f', ${isBought ? id : null})`.execute(db);
      }
    }
    await using upgraded = await location.open();
    const grants = await upgraded.db.selectFrom("download_grants").select(["id", "budget_bytes"]).orderBy("id").execute();
    assert.deepEqual(
      grants.map(({ id, budget_bytes }) => [id, budget_bytes]),
      [
        ["begun", 50],
        ["by an archive", 35],
        ["complete", 5],
        ["not bought", -1],
      ],
    );
  },
);
