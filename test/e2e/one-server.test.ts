import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startLibsqlServer } from "../support/libsql-server.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { call } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";

/** storage, "One server". */
describe("a data folder", () => {
  test("has one server: another is refused, commands are not, and a killed one leaves no lock", async () => {
    await using server = await startPlainServer();
    const second = await server.run(["serve", "--listen", "127.0.0.1:0"]);
    assert.notEqual(second.code, 0);
    assert.match(second.stderr, /Another server uses the data folder .*FILEHOST_DATA/);
    assert.equal((await server.run(["overview", "--json"])).code, 0);
    assert.equal((await call(server, "GET", "/health")).status, 200);
    await server.kill("SIGKILL");
    await server.restart();
    assert.equal((await call(server, "GET", "/health")).status, 200);
  });

  test("can be shared by the nodes of a database server, which warn", async () => {
    await using database = await startLibsqlServer();
    await using first = await startPlainServer({ FILEHOST_DB_URL: database.url, FILEHOST_DB_TOKEN: database.token });
    await using second = await startPlainServer({
      FILEHOST_DB_URL: database.url,
      FILEHOST_DB_TOKEN: database.token,
      FILEHOST_DATA: first.dataDir,
    });
    assert.ok(second.logs().some(({ msg }) => msg?.includes("another server uses this data folder")));
  });
});

/** command line, "Commands". */
test("SIGHUP does not end a server", async () => {
  await using server = await startPlainServer();
  process.kill(server.pid, "SIGHUP");
  await until("the log tells it", () => server.logs().some(({ msg }) => msg?.startsWith("SIGHUP ignored")));
  assert.equal((await call(server, "GET", "/health")).status, 200);
});

/** configuration, "Forms of values". */
test("FILEHOST_URL with a path, a query, a fragment or a password is refused with what to do", async () => {
  for (const url of ["https://files.example/x", "https://files.example/?a", "https://files.example/#a", "https://a:b@files.example"])
    await assert.rejects(startServer({ env: { FILEHOST_URL: url } }), /ended with [1-9][\s\S]*FILEHOST_URL[\s\S]*without a/);
});
