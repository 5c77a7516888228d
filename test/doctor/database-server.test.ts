import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "../../src/db/open.ts";
import { FORMER_MIGRATIONS } from "../db/support.ts";
import { makeFolder } from "../support/folder.ts";
import { type LibsqlServer, startLibsqlServer } from "../support/libsql-server.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { assertResult, consult, type Report } from "./support.ts";

/** command line, "Commands" (doctor); storage, "The database". */

async function consultServer(server: LibsqlServer, env: Readonly<Record<string, string>> = {}): Promise<Report> {
  await using folder = await makeFolder();
  return await consult(folder.path, { FILEHOST_DB_URL: server.url, FILEHOST_DB_TOKEN: server.token, ...env });
}

test("doctor checks a database server and changes nothing there", async () => {
  await using server = await startLibsqlServer();
  assertResult((await consultServer(server)).find("database"), "ok", /empty: its tables are created on first start/);
  const asked = server.pipelines.flat().flatMap((request) => JSON.stringify(request));
  assert.ok(asked.some((request) => request.includes("sqlite_master")));
  assert.ok(!asked.some((request) => /CREATE|INSERT|BEGIN/i.test(request)), asked.join("\n"));
  const database = await openDatabase({ url: server.url, token: server.token });
  await database[Symbol.asyncDispose]();
  const report = await consultServer(server);
  assertResult(report.find("database"), "ok", /http:\/\/127\.0\.0\.1:\d+, schema \d+$/);
  // A busy machine may take so long that it is a warning.
  assert.match(report.find("round trip").detail, /a query takes [\d.]+ ms/);
});

test("doctor describes what is wrong with a database server, without printing the token", async () => {
  let isHanging = false;
  await using server = await startLibsqlServer({ fault: () => (isHanging ? "hang" : undefined) });
  const refused = await consultServer(server, { FILEHOST_DB_TOKEN: "some-other-token" });
  assertResult(refused.find("database"), "fail", /rejects the token \(401\)/, /FILEHOST_DB_TOKEN/);
  assert.ok(!refused.printed.includes("some-other-token"));
  const gone = await consultServer(server, { FILEHOST_DB_URL: "http://me:hidden-word@127.0.0.1:1" });
  assertResult(gone.find("database"), "fail", /does not respond: nothing listens there/, /FILEHOST_DB_URL/);
  assert.ok(!gone.printed.includes("hidden-word"));
  isHanging = true;
  assertResult((await consultServer(server)).find("database"), "fail", /no response in time/);
});

test("doctor and the log of a server report that a database server does not answer writes, and health responds meanwhile", {
  timeout: 120_000,
}, async () => {
  let hangs: "nothing" | "writes" | "all" = "nothing";
  const isWrite = (requests: readonly unknown[]) => /BEGIN IMMEDIATE|insert into|update |delete from/i.test(JSON.stringify(requests));
  await using database = await startLibsqlServer({
    fault: (requests) => (hangs === "all" || (hangs === "writes" && isWrite(requests)) ? "hang" : undefined),
  });
  await using server = await startServer({
    env: { FILEHOST_DB_URL: database.url, FILEHOST_DB_TOKEN: database.token, FILEHOST_SCANNER: "off" },
  });
  // The last write of a start.
  await until("it offers to create an administrator", () => server.logs().some(({ msg }) => msg?.includes("administrator")));
  hangs = "writes";
  assertResult((await consultServer(database)).find("database writes"), "fail", /but not to writes/, /Restart the database server/);
  const held = () => server.logs().filter(({ msg }) => msg?.includes("but not to writes"));
  await until("the log tells it", () => held().length > 0);
  hangs = "all";
  const health = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(60_000) });
  const { checks } = (await health.json()) as { checks: { database: { ok: boolean; reason?: string }; storage: { ok: boolean } } };
  assert.equal(health.status, 503);
  assert.deepEqual(checks.database, { ok: false, reason: "The database does not respond." });
  assert.equal(checks.storage.ok, true);
  hangs = "nothing";
  await until("the log tells that it writes", () => server.logs().some(({ msg }) => msg?.includes("responds to writes again")));
  assert.equal(held().length, 1);
});

test("doctor fails for a database server that a newer version has migrated", async () => {
  await using server = await startLibsqlServer();
  const later = [{ name: "0001-later", statements: ["CREATE TABLE t (x)"] }];
  const database = await openDatabase({ url: server.url, token: server.token, migrations: later });
  await database[Symbol.asyncDispose]();
  assertResult((await consultServer(server)).find("database"), "fail", /0001-later/, /newer filehost/);
});

test("doctor fails for a database server with the schema of a former version", async () => {
  await using server = await startLibsqlServer();
  const database = await openDatabase({ url: server.url, token: server.token, migrations: FORMER_MIGRATIONS });
  await database[Symbol.asyncDispose]();
  assertResult((await consultServer(server)).find("database"), "fail", /does not upgrade/, /commit cbceac3/);
});
