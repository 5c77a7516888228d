import assert from "node:assert/strict";
import { sql } from "kysely";
import { createKeyring } from "../../src/lib/secrets/secrets.ts";
import { encryptStoredCheckoutIds } from "../../src/service/selling/encrypt-checkout-ids.ts";
import { findPurchaseBySession, sessionIdOf } from "../../src/service/selling/purchase-rows.ts";
import { testEach } from "./engines.ts";
import { replacedMigrations } from "./support.ts";

const COUNT = 600;

/** selling, "Purchases": who reads a backup cannot claim what others bought. */
testEach("a start hides the IDs of all checkouts that earlier commits stored, and finds them again", async (_, location) => {
  {
    await using former = await location.open({ migrations: replacedMigrations });
    await sql`INSERT INTO purchases (id, session_hash, short_id, seller_id, amount_cents, fee_cents, created_at, expires_at)
      SELECT 'p' || value, 'cs_live_' || value, 's', 'u', 100, 0, 1, 1 FROM json_each(${JSON.stringify(Array.from({ length: COUNT }, (_, n) => n))})`.execute(
      former.db,
    );
    await sql`INSERT INTO purchases (id, short_id, seller_id, amount_cents, fee_cents, created_at, expires_at)
      VALUES ('unopened', 's', 'u', 100, 0, 1, 1)`.execute(former.db);
  }
  await using upgraded = await location.open();
  const { db } = upgraded;
  const keyring = createKeyring("a secret of these tests");
  const ctx = { db, keyring };
  for (const _ of ["a first start", "a second start"])
    await encryptStoredCheckoutIds({ keyring, transaction: (work) => upgraded.transaction((db) => work({ db })) });
  const rows = await sql`SELECT * FROM purchases`.execute(db);
  assert.equal(rows.rows.length, COUNT + 1);
  assert.ok(!JSON.stringify(rows.rows).includes("cs_live_"));
  for (const n of [0, COUNT - 1]) {
    const found = await findPurchaseBySession(ctx, `cs_live_${n}`);
    assert.equal(found?.id, `p${n}`);
    assert.equal(sessionIdOf(ctx, found), `cs_live_${n}`);
  }
  assert.equal(await findPurchaseBySession(ctx, "cs_live_none"), undefined);
});
