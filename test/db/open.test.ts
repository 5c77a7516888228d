import assert from "node:assert/strict";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/open.ts";
import { AppError } from "../../src/errors.ts";
import { countSettings, makeDatabase, makeLocation, putSetting } from "./support.ts";

test("opening creates the files readable only by their owner", async () => {
  await using database = await makeDatabase();
  await putSetting(database.db, "a");
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  const { path } = database.location;
  assert.equal(await modeOf(dirname(path)), 0o700);
  assert.deepEqual(await Promise.all([path, `${path}-wal`, `${path}-shm`].map(modeOf)), [0o600, 0o600, 0o600]);
});

test("opening does not change the mode of an existing folder", async () => {
  await using location = await makeLocation();
  await mkdir(dirname(location.path), { mode: 0o750 });
  await using _database = await openDatabase({ url: location.url });
  assert.equal((await stat(dirname(location.path))).mode & 0o777, 0o750);
});

test("closing waits for pending work, and then rejects writes", async () => {
  await using location = await makeLocation();
  const database = await openDatabase({ url: location.url });
  const writes = Promise.all(Array.from({ length: 20 }, (_, index) => putSetting(database.db, `s${index}`)));
  // Long enough to be queued: a write that has not reached the queue when it closes is refused.
  const transaction = database.transaction(async (transaction) => putSetting(transaction, "in a transaction"));
  await writes;
  await database[Symbol.asyncDispose]();
  await transaction;
  await assert.rejects(putSetting(database.db, "late"), (error) => error instanceof AppError && error.code === "UNAVAILABLE");
  await using again = await openDatabase({ url: location.url });
  assert.equal(await countSettings(again.db), 21);
  assert.deepEqual(
    (await readdir(dirname(location.path))).filter((name) => name.includes("before")),
    [],
  );
});

test("the database flushes each commit and enforces foreign keys", async () => {
  await using database = await makeDatabase();
  await database.transaction(async (transaction) => {
    assert.deepEqual((await sql`PRAGMA synchronous`.execute(transaction)).rows, [{ synchronous: 2 }]);
    assert.deepEqual((await sql`PRAGMA foreign_keys`.execute(transaction)).rows, [{ foreign_keys: 1 }]);
    assert.deepEqual((await sql`PRAGMA journal_mode`.execute(transaction)).rows, [{ journal_mode: "wal" }]);
    assert.deepEqual((await sql`PRAGMA busy_timeout`.execute(transaction)).rows, [{ timeout: 0 }]);
  });
  const orphan = database.db.insertInto("upload_parts").values({ session_id: "none", part_number: 1, size_bytes: 1, sha256: "", etag: "" });
  await assert.rejects(orphan.execute(), /FOREIGN KEY/);
});

/** storage, "The database". */
test("a log whose database file is missing is refused, and stays", async () => {
  await using location = await makeLocation();
  await mkdir(dirname(location.path), { recursive: true });
  await writeFile(`${location.path}-wal`, "changes");
  await assert.rejects(openDatabase({ url: location.url }), /is missing, but .*-wal has changes of it/);
  assert.deepEqual(await readdir(dirname(location.path)), [basename(`${location.path}-wal`)]);
});

test("ping resolves", async () => {
  await using database = await makeDatabase();
  await database.ping();
});

test("opening rejects URLs of neither files nor servers", async () => {
  await assert.rejects(openDatabase({ url: "file:" }), /names no file/);
  await assert.rejects(openDatabase({ url: "ftp://example.org/x" }), /ftp/);
});
