import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { makeFolder } from "../../support/folder.ts";
import { startServer } from "../../support/server.ts";
import { startLibsqlServer } from "../../support/services/libsql-server.ts";
import { s3Settings, startSwift, swiftMissing } from "../../support/services/swift.ts";
import { until } from "../../support/until.ts";
import { call } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** storage, "One server". */
describe("a data folder", () => {
  test("has one server: another is refused, commands are not, and a killed one leaves no lock", async () => {
    await using server = await startPlainServer();
    const second = await server.run(["serve", "--listen", "127.0.0.1:0"]);
    assert.notEqual(second.code, 0);
    assert.match(second.stderr, /Another server uses the data folder .*FILEHOST_DATA/);
    assert.equal((await server.run(["overview", "--json"])).code, 0);
    assert.equal((await call(server, "GET", "/health/live")).status, 200);
    await server.kill("SIGKILL");
    await server.restart();
    assert.equal((await call(server, "GET", "/health/live")).status, 200);
  });

  test("has one server also after its lock file was removed or replaced", async () => {
    await using server = await startPlainServer();
    const path = join(server.dataDir, "server.lock");
    const locked = () => server.logs().filter(({ msg }) => msg?.includes("locked it again")).length;
    for (const [index, replace] of [async () => {}, () => writeFile(path, "")].entries()) {
      await rm(path);
      await replace();
      if (index > 0) await until("it is locked again", () => locked() > index);
      const second = await server.run(["serve", "--listen", "127.0.0.1:0"]);
      assert.notEqual(second.code, 0);
      assert.match(second.stderr, /Another server uses the data folder/);
      assert.equal(locked(), index + 1);
    }
    await server.restart();
    assert.equal((await call(server, "GET", "/health/live")).status, 200);
  });

  test("with bytes has one server too if the database is elsewhere, as a server and as a file", async () => {
    await using database = await startLibsqlServer();
    await using folder = await makeFolder();
    const databases: readonly Readonly<Record<string, string>>[] = [
      { FILEHOST_DB_URL: database.url, FILEHOST_DB_TOKEN: database.token },
      { FILEHOST_DB_URL: `file:${join(folder.path, "elsewhere.db")}` },
    ];
    for (const env of databases) {
      await using first = await startPlainServer(env);
      const second = startPlainServer({ ...env, FILEHOST_DATA: first.dataDir });
      await assert.rejects(second, /Another server uses the data folder .*FILEHOST_STORAGE=s3/);
      assert.equal((await call(first, "GET", "/health/live")).status, 200);
    }
  });

  test("without bytes or a database may be shared, and the log warns", { skip: swiftMissing }, async () => {
    await using swift = await startSwift();
    await using database = await startLibsqlServer();
    const env = {
      FILEHOST_DB_URL: database.url,
      FILEHOST_DB_TOKEN: database.token,
      FILEHOST_SECRET: "the same secret on all of the instances",
      FILEHOST_STORAGE: "s3",
      ...s3Settings(swift, await swift.createBucket()),
    };
    await using first = await startPlainServer(env);
    await using second = await startPlainServer({ ...env, FILEHOST_DATA: first.dataDir });
    assert.ok(second.logs().some(({ msg }) => msg?.includes("another server uses this data folder")));
  });
});

/** storage, "Disk". */
test("the log names the path of a folder that cannot be used, and the response does not", async () => {
  await using server = await startPlainServer();
  const path = join(server.dataDir, "staging");
  await rm(path, { recursive: true });
  await writeFile(path, "");
  const { status, body } = await call(server, "PUT", "/a.txt", { body: "x", headers: { Accept: "application/json" } });
  assert.equal(status, 503);
  assert.doesNotMatch(JSON.stringify(body), /staging|ENOTDIR/);
  const isNamed = (line: object) =>
    "path" in line && String(line.path).startsWith(path) && "systemCode" in line && line.systemCode === "ENOTDIR";
  await until("the log names it", () => server.logs().some(isNamed));
});

/** command line, "Commands". */
test("SIGHUP does not end a server", async () => {
  await using server = await startPlainServer();
  process.kill(server.pid, "SIGHUP");
  await until("the log tells it", () => server.logs().some(({ msg }) => msg?.startsWith("SIGHUP ignored")));
  assert.equal((await call(server, "GET", "/health/live")).status, 200);
});

/** configuration, "Forms of values". */
test("FILEHOST_URL with a path, a query, a fragment or a password is refused with a next step", async () => {
  for (const url of ["https://files.example/x", "https://files.example/?a", "https://files.example/#a", "https://a:b@files.example"])
    await assert.rejects(startServer({ env: { FILEHOST_URL: url } }), /ended with [1-9][\s\S]*FILEHOST_URL[\s\S]*without a/);
});

/** docs/design/uncaught-errors.md: what follows the start does not end the server. */
test("a server that cannot save the link for the first administrator serves, and logs a next step", async () => {
  await using server = await startPlainServer();
  await server.stop();
  await withDatabase(server, async (db) => {
    await db.deleteFrom("invites").execute();
    await sql`CREATE TRIGGER refuse BEFORE INSERT ON invites BEGIN SELECT RAISE(ABORT, 'not saved'); END`.execute(db);
  });
  await server.restart();
  await until("the log tells it", () => server.logs().some(({ msg }) => msg?.includes("administrator's account could not be made")));
  assert.equal((await call(server, "PUT", "/a.txt", { body: "x", headers: { Accept: "application/json" } })).status, 200);
});
