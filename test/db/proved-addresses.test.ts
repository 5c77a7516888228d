import assert from "node:assert/strict";
import { sql } from "kysely";
import { migrations } from "../../src/db/migrations/index.ts";
import { testEach } from "./engines.ts";

/** sign in, "Verified and proved". */
testEach("an upgrade keeps addresses as proved whose verification is in the audit log", async (_, location) => {
  {
    await using former = await location.open({ migrations: migrations.filter(({ name }) => name < "0035") });
    const { db } = former;
    const insert = async (id: string, isVerified: boolean, entries: readonly (readonly [action: string, at: number])[]) => {
      await sql`INSERT INTO users (id, name, email, email_verified, created_at, updated_at)
        VALUES (${id}, 'n', ${id}, ${isVerified ? 1 : 0}, 1, 1)`.execute(db);
      for (const [action, at] of entries)
        await sql`INSERT INTO audit_log (created_at, action, origin, subject_id, account_id, details)
          VALUES (${at}, ${action}, 'account', ${id}, ${id}, '{}')`.execute(db);
    };
    await insert("by mail", true, [["account.email_verified", 5]]);
    await insert("changed", true, [
      ["account.email_verified", 5],
      ["account.email_changed", 6],
    ]);
    await insert("changed back", true, [
      ["account.email_changed", 4],
      ["account.email_verified", 5],
    ]);
    await insert("without mail", true, [["account.created", 5]]);
    await insert("unverified", false, []);
  }
  await using upgraded = await location.open();
  const users = await upgraded.db.selectFrom("users").select(["id", "email_proved_at"]).orderBy("id").execute();
  assert.deepEqual(
    users.map(({ id, email_proved_at }) => [id, email_proved_at]),
    [
      ["by mail", 5],
      ["changed", null],
      ["changed back", 5],
      ["unverified", null],
      ["without mail", null],
    ],
  );
});
