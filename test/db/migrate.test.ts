import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Migration } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { AppError } from "../../src/errors.ts";
import { testEach } from "./engines.ts";

const added: Migration = {
  name: "9998-added",
  statements: ["CREATE TABLE added (x TEXT)", "ALTER TABLE server_state ADD COLUMN note TEXT"],
};
const failing: Migration = { name: "9999-failing", statements: ["CREATE TABLE half (x TEXT)", "INSERT INTO nowhere VALUES (1)"] };
const rebuilding: Migration = {
  name: "9999-rebuilding",
  statements: [
    "CREATE TABLE users_new AS SELECT * FROM users",
    "DROP TABLE users",
    "CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT, email TEXT, created_at INTEGER, updated_at INTEGER)",
    "INSERT INTO users SELECT id, name, email, created_at, updated_at FROM users_new",
    "DROP TABLE users_new",
  ],
};

testEach("refuses a database that a newer version has used, and leaves it unchanged", async (_, location) => {
  {
    await using _newer = await location.open({ migrations: [...migrations, added] });
  }
  await assert.rejects(location.open(), (error) => error instanceof AppError && /9998-added.*newer version/s.test(error.message));
  await using _newer = await location.open({ migrations: [...migrations, added] });
});

testEach("a failed upgrade changes nothing, whichever step fails", async (_, location) => {
  {
    await using _database = await location.open();
  }
  await assert.rejects(location.open({ migrations: [...migrations, added, failing] }), /9999-failing failed/);
  await using database = await location.open();
  const { rows } = await sql`SELECT name FROM sqlite_master WHERE name IN ('added', 'half')`.execute(database.db);
  assert.deepEqual(rows, []);
});

testEach("recreating a table deletes no references, and a dangling reference fails the upgrade", async (_, location) => {
  const user = { id: "u", name: "U", email: "u@example.org", created_at: 0, updated_at: 0 };
  {
    await using database = await location.open();
    await database.db.insertInto("users").values(user).execute();
    await database.db
      .insertInto("folders")
      .values({ id: "f", owner_id: "u", parent_id: null, name: "n", created_at: 0, updated_at: 0 })
      .execute();
  }
  const losing: Migration = { name: "9999-losing", statements: ["DELETE FROM users"] };
  await assert.rejects(location.open({ migrations: [...migrations, losing] }), /references/);
  await using database = await location.open({ migrations: [...migrations, rebuilding] });
  assert.equal((await database.db.selectFrom("folders").select("id").execute()).length, 1);
});

testEach("several processes that start together apply each migration once", async (_, location) => {
  const applied: string[] = [];
  const opened = await Promise.all([1, 2, 3, 4].map(() => location.open({ onMigrated: (names) => applied.push(...names) })));
  assert.deepEqual(
    applied,
    migrations.map(({ name }) => name),
  );
  await Promise.all(opened.map((database) => database[Symbol.asyncDispose]()));
});
