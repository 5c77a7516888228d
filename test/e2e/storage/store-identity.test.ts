import assert from "node:assert/strict";
import { copyFile, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import type { CheckResult } from "../../../src/doctor/check-result.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { call, deleteFile, type Upload } from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { cleanUp, withConfiguredContext } from "../support/servers/server-context.ts";
import { storedFiles, withDatabase } from "../support/servers/state.ts";
import { downloadDigest, putFile } from "../support/uploads/transfers.ts";

const start = () => startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB" } });

interface Health {
  readonly status: string;
  readonly checks: { readonly storage: { readonly ok: boolean; readonly reason?: string; readonly unknownBlobs: number } };
}

const healthOf = async (server: { readonly url: string }): Promise<Health> => (await call<Health>(server, "GET", "/health")).body;

async function uploadSome(server: TestServer, count: number, prefix: string): Promise<Upload[]> {
  const uploads: Upload[] = [];
  for (let index = 0; index < count; index++) uploads.push(await putFile(server, `/${prefix}${index}.txt`, `${prefix} ${index}`));
  return uploads;
}

async function expireAll(server: TestServer): Promise<void> {
  await withDatabase(server, (db) =>
    db
      .updateTable("shares")
      .set({ expires_at: Date.now() - 1 })
      .execute(),
  );
}

async function removeDatabase({ dataDir }: TestServer): Promise<void> {
  for (const name of await readdir(dataDir)) if (name.startsWith("filehost.db")) await rm(join(dataDir, name));
}

/** What the database records of its store, once the renewal of a start is confirmed. */
const findPair = (server: TestServer): Promise<object | undefined> =>
  withConfiguredContext(server, async (ctx) => {
    const row = await ctx.db.selectFrom("server_state").select("value").where("name", "like", "store_pair%").executeTakeFirst();
    const record = row && JSON.parse(row.value);
    return record?.generation && record.next === null ? record : undefined;
  });

/** Waits until the first renewal after a start is confirmed, so that a copy is older than what follows. */
const untilPaired = (server: TestServer) => until("the store is paired", () => findPair(server));

async function findingOf(server: TestServer, what: string): Promise<CheckResult | undefined> {
  const { stdout } = await server.run(["doctor", "--json"]);
  const { findings } = JSON.parse(stdout) as { findings: CheckResult[] };
  return findings.find((finding) => finding.what === what);
}

/** Asserts that a server says what stands against its store, and removes nothing from it: not by schedule, command or owner. */
async function assertNothingRemoved(server: TestServer, reason: RegExp, stored: readonly string[]): Promise<void> {
  const health = await healthOf(server);
  assert.deepEqual([health.status, health.checks.storage.ok], ["degraded", false]);
  assert.match(health.checks.storage.reason ?? "", reason);
  const finding = await findingOf(server, "store and database");
  assert.deepEqual([finding?.status, reason.test(finding?.detail ?? "")], ["fail", true], JSON.stringify(finding));
  assert.match(finding?.fix ?? "", /filehost storage adopt/);
  await until("the log says it", () => server.logs().some(({ msg = "" }) => reason.test(msg) && msg.includes("filehost storage adopt")));
  const cleaned = await server.run(["cleanup"]);
  assert.deepEqual([cleaned.code, reason.test(cleaned.stderr)], [0, true], cleaned.stderr);
  assert.equal((await server.run(["cleanup", "--orphans", "--yes"])).code, 6);
  assert.deepEqual(await storedFiles(server), stored);
}

/** storage, "A store and its database". */
describe("a store that another database has written", () => {
  test("is impossible on a new disk, which has its ID before the first request, so that a crash leaves nothing unknown", async () => {
    await using server = await start();
    assert.notEqual(await findPair(server), undefined);
    await server.restart({ signal: "SIGKILL" });
    assert.notEqual(await findPair(server), undefined);
  });

  test("keeps all bytes when the database was removed, until the new one is adopted and the orphans are confirmed", async () => {
    await using server = await start();
    await uploadSome(server, 12, "a");
    await untilPaired(server);
    const stored = await storedFiles(server);
    await server.stop();
    await removeDatabase(server);
    await server.restart();
    await assertNothingRemoved(server, /belongs to another database/, stored);
    assert.equal((await healthOf(server)).checks.storage.unknownBlobs, 12);
    assert.match((await findingOf(server, "blobs without a file"))?.detail ?? "", /^12 found, of which none is removed/);
    const asked = await server.run(["storage", "adopt"]);
    assert.notEqual(asked.code, 0);
    assert.match(asked.stderr, /12 +blobs in the store that no file has/);
    const adopted = await server.run(["storage", "adopt", "--yes", "--json"]);
    assert.deepEqual(JSON.parse(adopted.stdout), {
      problem: "The file store belongs to another database.",
      fileCount: 0,
      missing: 0,
      unknown: 12,
    });
    assert.equal((await healthOf(server)).status, "ok");
    const { code, stderr } = await server.run(["cleanup"]);
    assert.deepEqual([code, await storedFiles(server)], [0, stored]);
    assert.match(stderr, /12 orphans kept for now/);
    assert.match((await findingOf(server, "blobs without a file"))?.detail ?? "", /^12 found/);
    const refused = await server.run(["cleanup", "--orphans"]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /12 +blobs without a file/);
    assert.deepEqual(await storedFiles(server), stored);
    assert.equal((await cleanUp(server)).orphans, 12);
    assert.deepEqual(await storedFiles(server), []);
  });

  test("keeps all bytes when an older copy of the database was restored: expired files, deleted files and open uploads too", async () => {
    await using server = await start();
    const [first, second] = await uploadSome(server, 2, "old");
    assert.ok(first && second);
    await untilPaired(server);
    await server.stop();
    const copy = join(server.dataDir, "..", "copy.db");
    await copyFile(join(server.dataDir, "filehost.db"), copy);
    await server.restart();
    await uploadSome(server, 3, "new");
    await untilPaired(server);
    const stored = await storedFiles(server);
    await server.stop();
    await removeDatabase(server);
    await copyFile(copy, join(server.dataDir, "filehost.db"));
    await server.restart();
    await until("the copy is noticed", async () => !(await healthOf(server)).checks.storage.ok);
    assert.ok(await downloadDigest(server, second.id));
    await deleteFile(server, { fileId: first.id, token: first.deletionToken ?? "" });
    await expireAll(server);
    await assertNothingRemoved(server, /not of the same time/, stored);
    await server.run(["storage", "adopt", "--yes"]);
    const report = await cleanUp(server);
    assert.deepEqual([report.orphans, await storedFiles(server)], [3, []]);
  });

  test("becomes a separate installation when the whole data folder was copied", async () => {
    await using server = await start();
    const [upload] = await uploadSome(server, 1, "a");
    await untilPaired(server);
    await server.stop();
    const copied = await mkdtemp(join(tmpdir(), "filehost-clone-"));
    try {
      await cp(server.dataDir, copied, { recursive: true });
      await server.restart({ env: { FILEHOST_DATA: copied } });
      await untilPaired(server);
      assert.equal((await healthOf(server)).status, "ok");
      assert.ok(await downloadDigest(server, upload?.id ?? ""));
    } finally {
      await server.kill();
      await rm(copied, { recursive: true, force: true });
    }
  });
});

describeUnless(swiftMissing, "a bucket that two servers with two databases use", () => {
  let swift: TestSwift;
  before(async () => {
    swift = await joinSwift();
  });

  test("keeps the files of both, which report it and remove nothing", async () => {
    await using one = await startOnS3(swift);
    const uploads = await uploadSome(one, 4, "one");
    await untilPaired(one);
    await using other = await startOnS3(swift, { env: { FILEHOST_S3_BUCKET: one.bucket } });
    const others = await uploadSome(other, 2, "other");
    await until("both have noticed", async () => {
      const both = await Promise.all([one, other].map(healthOf));
      return both.every(({ checks }) => !checks.storage.ok);
    });
    assert.match((await healthOf(one)).checks.storage.reason ?? "", /^Another database has used this file store/);
    assert.match((await healthOf(other)).checks.storage.reason ?? "", /^The file store belongs to another database/);
    for (const server of [one, other]) {
      assert.equal((await server.run(["cleanup"])).code, 0);
      assert.equal((await server.run(["cleanup", "--orphans", "--yes"])).code, 6);
    }
    for (const { id } of uploads) assert.ok(await downloadDigest(one, id));
    for (const { id } of others) assert.ok(await downloadDigest(other, id));
    await other.stop();
    assert.equal((await one.run(["storage", "adopt", "--yes"])).code, 0);
    assert.equal((await healthOf(one)).status, "ok");
    assert.equal((await one.run(["cleanup"])).code, 0);
    for (const { id } of uploads) assert.ok(await downloadDigest(one, id));
  });
});
