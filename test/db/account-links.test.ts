import assert from "node:assert/strict";
import { sql } from "kysely";
import { migrations } from "../../src/db/migrations/index.ts";
import { testEach } from "./engines.ts";

/** sign in, "Changing the email address". */
testEach("an upgrade keeps the links of accounts, and lets them change an address", async (_, location) => {
  const former = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === "0028-email-changes"),
  );
  const insert = (token: string, purpose: string) =>
    sql`INSERT INTO account_links (token_hash, user_id, purpose, mailed_to, created_by, created_at, expires_at)
      VALUES (${token}, 'u', ${purpose}, 'e', 'u', 1, 2)`;
  {
    await using earlier = await location.open({ migrations: former });
    await sql`INSERT INTO users (id, name, email, created_at, updated_at) VALUES ('u', 'n', 'e', 1, 1)`.execute(earlier.db);
    await insert("a", "verify").execute(earlier.db);
    await insert("b", "reset").execute(earlier.db);
    await assert.rejects(insert("c", "email").execute(earlier.db));
  }
  await using upgraded = await location.open();
  await insert("c", "email").execute(upgraded.db);
  await assert.rejects(insert("d", "other").execute(upgraded.db));
  const links = await upgraded.db.selectFrom("account_links").selectAll().orderBy("token_hash").execute();
  const row = { user_id: "u", mailed_to: "e", created_by: "u", created_at: 1, expires_at: 2 };
  assert.deepEqual(links, [
    { ...row, token_hash: "a", purpose: "verify" },
    { ...row, token_hash: "b", purpose: "reset" },
    { ...row, token_hash: "c", purpose: "email" },
  ]);
});
