import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { CheckResult } from "../../../src/doctor/check-result.ts";
import { readNightly } from "../../../src/service/maintenance/stored-digests.ts";
import type { Health } from "../../../src/service/system/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, authorize, clientOf, getShare, postUpload, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { assertNothingLostOrLeft, withServerContext } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";

const checksOf = async (server: TestServer): Promise<Health["checks"]> =>
  ((await (await fetch(`${server.url}/health`)).json()) as Health).checks;

async function blobPath(server: TestServer, id: string): Promise<string> {
  const { blob_key: key } = await withDatabase(server, (db) =>
    db.selectFrom("files").select("blob_key").where("id", "=", id).executeTakeFirstOrThrow(),
  );
  return join(server.dataDir, "blobs", key.slice(0, 2), key.slice(2, 4), key);
}

const read = (server: TestServer, signal = new AbortController().signal): Promise<void> =>
  withServerContext(server, (ctx) => readNightly(ctx, signal));

/** storage, "Damaged bytes". */
test("files whose bytes the disk has changed are found, blocked, and available again when their bytes are right", async () => {
  await using server = await startPlainServer();
  const [whole, changed, cut] = [
    await upload(server, { bytes: "the bytes of one" }),
    await upload(server, { bytes: "the bytes of two" }),
    await upload(server, { bytes: "the bytes of three" }),
  ];
  assert.equal((await server.run(["audit", "--digests"])).code, 0);
  await read(server);
  assert.deepEqual((await checksOf(server)).storage, { ok: true, unknownBlobs: 0, damagedFiles: 0 });

  const path = await blobPath(server, changed.id);
  const bytes = await readFile(path);
  await writeFile(path, Buffer.from(bytes).fill("x", 3, 4));
  await truncate(await blobPath(server, cut.id), 5);
  const { code, stdout, stderr } = await server.run(["audit", "--digests"]);
  assert.equal(code, 1);
  assert.match(stdout, new RegExp(`^missing +${cut.id} +5 bytes instead of 18$`, "m"));
  assert.match(stdout, new RegExp(`^damaged +${changed.id} +.*another SHA-256$`, "m"));
  assert.match(stderr, /1 file without their bytes, 1 damaged file, 0 blobs without a file\./);

  const stopped = new AbortController();
  stopped.abort();
  await read(server, stopped.signal);
  assert.equal((await checksOf(server)).storage.damagedFiles, 0);

  await read(server);
  await until("both are blocked", async () =>
    (await Promise.all([changed, cut].map(({ shortId }) => getShare(server, shortId)))).every(
      ({ scanStatus }) => scanStatus === "unavailable",
    ),
  );
  assertRefused(await authorize(server, changed.id), { status: 404, code: "SCAN_BLOCKED" });
  assert.equal((await authorize(server, whole.id)).status, 200);
  const { storage } = await checksOf(server);
  assert.deepEqual([storage.ok, storage.damagedFiles], [false, 2]);
  assert.match(storage.reason ?? "", /2 files with damaged bytes\. Run filehost audit --digests/);
  assert.match((await server.run(["doctor"])).stdout, /FAIL +stored bytes +2 files with damaged bytes/i);

  await writeFile(path, bytes);
  assert.equal((await server.run(["rescan", changed.id])).code, 0);
  await until("it is clean", async () => (await getShare(server, changed.shortId)).scanStatus === "clean");
  assert.equal((await authorize(server, changed.id)).status, 200);
  assert.equal((await checksOf(server)).storage.damagedFiles, 1);
  await read(server);
  assert.equal((await checksOf(server)).storage.damagedFiles, 1);
});

/** storage, "Rows and bytes". */
test("while the folder of the bytes is missing, uploads and downloads say that the store is not available, and nothing is lost", async () => {
  await using server = await startPlainServer();
  const [small, large] = [await upload(server, { bytes: "words" }), await upload(server, { bytes: randomBytes(3 * 1024 ** 2) })];
  const urls = [await signedUrl(server, small.id), await signedUrl(server, large.id)];
  const [folder, moved] = [join(server.dataDir, "blobs"), join(server.dataDir, "moved")];
  await rename(folder, moved);
  const sent = await postUpload(server, { bytes: "other words" });
  assertRefused(sent, { status: 503, code: "UNAVAILABLE" });
  for (const url of urls) assert.equal((await fetch(url)).status, 503);
  await rename(moved, folder);
  for (const [index, url] of urls.entries()) {
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal((await response.bytes()).length, [5, 3 * 1024 ** 2][index]);
  }
  await assertNothingLostOrLeft(server);
});

/** storage, "The database". */
for (const suffix of ["", "-wal"]) {
  test(`while filehost.db${suffix} is not where it was opened, nothing is accepted, what is stored is delivered, and health says why`, async () => {
    await using server = await startPlainServer();
    const { id } = await upload(server, { bytes: "words" });
    const url = await signedUrl(server, id);
    const [file, moved] = [join(server.dataDir, `filehost.db${suffix}`), join(server.dataDir, "moved")];
    await rename(file, moved);
    assertRefused(await postUpload(server, { bytes: "other words" }), { status: 503, code: "UNAVAILABLE" });
    assert.equal(await (await fetch(url)).text(), "words");
    assert.match((await checksOf(server)).database.reason ?? "", /moved, removed or emptied/);
    assert.equal((await fetch(`${server.url}/ready`)).status, 503);
    await until("the log names it", () => server.logs().some(({ msg }) => msg?.includes("database was moved")));
    await rename(moved, file);
    assert.equal((await postUpload(server, { bytes: "other words" })).status, 200);
    assert.equal((await checksOf(server)).database.ok, true);
    await assertNothingLostOrLeft(server);
  });
}

/** storage, "The database". */
test("once filehost.db was emptied, nothing is accepted, its log is kept, and no server begins with an empty database", async () => {
  await using server = await startPlainServer();
  await upload(server, { bytes: "words" });
  const file = join(server.dataDir, "filehost.db");
  const copy = await readFile(file);
  await truncate(file);
  assertRefused(await postUpload(server, { bytes: "other words" }), { status: 503, code: "UNAVAILABLE" });
  assert.match((await checksOf(server)).database.reason ?? "", /moved, removed or emptied/);
  await server.kill("SIGTERM");
  assert.equal((await stat(file)).size, 0);
  const { code, stderr } = await server.run(["users", "list"]);
  assert.match(stderr, /filehost\.db is empty, but .*filehost\.db-wal has changes of it/);
  assert.notEqual(code, 0);
  await writeFile(file, copy);
  assert.equal((await server.run(["users", "list"])).code, 0);
});

/** storage, "The database". */
test("once filehost.db-wal was truncated, nothing is accepted until a restart, and the database stays whole", async () => {
  await using server = await startPlainServer();
  await upload(server, { bytes: "words" });
  await truncate(join(server.dataDir, "filehost.db-wal"), 4096);
  const refused = await postUpload(server, { bytes: "other words" });
  assert.ok(refused.status >= 500, `${refused.status}`);
  await until("the log names it", () => server.logs().some(({ msg }) => msg?.includes("database was moved, removed or emptied")));
  assert.match((await checksOf(server)).database.reason ?? "", /moved, removed or emptied/);
  assert.equal((await stat(join(server.dataDir, "filehost.db-wal"))).size, 4096);
  await server.restart();
  assert.match((await server.run(["doctor"])).stdout, /database file +integrity check passed/);
  assert.equal((await postUpload(server, { bytes: "other words" })).status, 200);
});

/** storage, "The database". */
test("what was confirmed before filehost.db-wal was removed is in the database once the server has noticed, also after a crash", async () => {
  await using server = await startPlainServer();
  const files = [await upload(server, { bytes: "words" }), await upload(server, { bytes: "other words" })];
  await rm(join(server.dataDir, "filehost.db-wal"));
  assertRefused(await postUpload(server, { bytes: "late words" }), { status: 503, code: "UNAVAILABLE" });
  await server.restart({ signal: "SIGKILL" });
  await until("no confirmed file is lost", async () => {
    for (const { shortId } of files) assert.equal((await getShare(server, shortId)).scanStatus, "clean");
    await assertNothingLostOrLeft(server);
    return true;
  });
});

/** storage, "The database". */
test("while the log of a server's database is not there, every command that opens the database says so, and changes nothing", async () => {
  await using server = await startPlainServer();
  const { shortId } = await upload(server, { bytes: "words" });
  const [log, moved] = [join(server.dataDir, "filehost.db-wal"), join(server.dataDir, "moved")];
  await rename(log, moved);
  for (const command of [
    ["keys", "create", "--user", "ada@example.org"],
    ["users", "list"],
    ["overview"],
    ["cleanup"],
    ["audit"],
    ["settings", "list"],
    ["reports", "list"],
    ["doctor"],
    ["keys", "create", "--user", "ada@example.org"],
  ]) {
    const { stdout, stderr } = await server.run(command);
    assert.match(stdout + stderr, /filehost\.db-wal was moved or removed/, command.join(" "));
    assert.doesNotMatch(stdout + stderr, /the disk|damaged/, command.join(" "));
  }
  const { findings } = JSON.parse((await server.run(["doctor", "--json"])).stdout) as { findings: CheckResult[] };
  assert.deepEqual(
    findings.filter(({ what, status }) => what === "database" && status !== "ok").map(({ subject }) => subject),
    ["databaseLog"],
  );
  await rename(moved, log);
  assert.equal((await server.run(["users", "list"])).code, 0);
  await server.restart({ signal: "SIGKILL" });
  await until("no confirmed file is lost", async () => {
    assert.equal((await getShare(server, shortId)).scanStatus, "clean");
    await assertNothingLostOrLeft(server);
    return true;
  });
});

/** storage, "The database". */
test("a server that has checked its installation keeps its locks, so that commands beside it do not end it, and it misses its own log", async () => {
  await using server = await startPlainServer();
  const { key } = await addAccount(server, { isAdministrator: true });
  const check = async () => (await clientOf(server, { key }).call("checkInstallation", {})).data.results;
  for (let round = 0; round < 2; round += 1) {
    assert.ok((await check()).some(({ what, status }) => what === "database" && status === "ok"));
    // If the server had no locks, this process would be the first one, and write the index anew.
    assert.equal((await server.run(["users", "list"])).code, 0);
    const { shortId } = await upload(server, { bytes: `words ${round}` });
    assert.equal((await getShare(server, shortId)).scanStatus, "clean");
  }
  const [log, moved] = [join(server.dataDir, "filehost.db-wal"), join(server.dataDir, "moved")];
  await rename(log, moved);
  const found = await check();
  await rename(moved, log);
  assert.ok(
    found.some(({ subject }) => subject === "databaseLog"),
    JSON.stringify(found.filter(({ status }) => status !== "ok")),
  );
  await assertNothingLostOrLeft(server);
});
