import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "../../../src/db/database.ts";
import { openDatabase } from "../../../src/db/open.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { Health } from "../../../src/service/system/contract.ts";
import { longSkipped } from "../../support/long.ts";
import { type FakeClock, faketimeMissing, openFakeClock } from "../../support/machine/faketime.ts";
import { type ServerOptions, startServer, type TestServer } from "../../support/server.ts";
import { startLibsqlServer } from "../../support/services/libsql-server.ts";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { askShare, deleteFile, upload } from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { storedFiles, withDatabase } from "../support/servers/state.ts";

const DAYS = 86_400;
/** The clocks are compared every 15 seconds. */
const patient = { deadlineMs: 180_000, everyMs: 250 };

const skip = (missing: string | undefined) => ({ skip: missing ?? false, timeout: 400_000 });

const start = ({ env }: FakeClock, options: ServerOptions = {}): Promise<TestServer> =>
  startServer({ ...options, env: { ...env, FILEHOST_SCANNER: "off", ...options.env } });

const readHealth = async (server: TestServer): Promise<Health> => (await (await fetch(`${server.url}/health`)).json()) as Health;

const untilClockIs = (server: TestServer, state: RegExp | undefined): Promise<unknown> =>
  until(
    `the clock is ${state ?? "trusted"}`,
    async () => {
      const { reason } = (await readHealth(server)).checks.clock;
      return state === undefined ? reason === undefined : state.test(reason ?? "");
    },
    patient,
  );

/** Cleans up, as the schedule does every 30 seconds. */
async function cleanUp(server: TestServer): Promise<void> {
  const { code, stdout, stderr } = await server.run(["cleanup"]);
  assert.equal(code, 0, stdout + stderr);
}

const setExpiry = (db: Db, shortId: string, expires_at: number) =>
  db.updateTable("shares").set({ expires_at }).where("short_id", "=", shortId).execute();

const statusOf = async (db: Db, id: string) =>
  (await db.selectFrom("files").select("blob_state").where("id", "=", id).executeTakeFirstOrThrow()).blob_state;

type Read = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** Cleans up until a file is removed: the server compares the clocks first. */
const untilRemoved = (server: TestServer, read: Read, id: string): Promise<unknown> =>
  until(
    "the expired file is removed",
    async () => {
      await cleanUp(server);
      return (await read((db) => statusOf(db, id))) === "removed";
    },
    patient,
  );

/** Makes the server's last run one of two weeks ago. */
async function stopLongAgo(db: Db): Promise<void> {
  const longAgoMs = Date.now() - 14 * DAY_MS;
  const value = JSON.stringify({ trustedMs: longAgoMs, latestMs: longAgoMs });
  await db.updateTable("server_state").set({ value }).where("name", "=", "clock").execute();
}

const untilClockIsStored = (read: Read): Promise<unknown> =>
  until("the clock is stored", () =>
    read((db) => db.selectFrom("server_state").select("name").where("name", "=", "clock").executeTakeFirst()),
  );

/** expiry, "When the clock is wrong". */
describeUnless(faketimeMissing, "a server whose clock is wrong", () => {
  test("removes nothing early when it is set forward while the server runs, and reports it", skip(faketimeMissing), async () => {
    await using clock = await openFakeClock();
    await using server = await start(clock);
    const read: Read = (work) => withDatabase(server, work);
    await untilClockIsStored(read);
    const kept = await upload(server, { bytes: "kept" });
    const deleted = await upload(server, { bytes: "deleted" });
    await clock.set(4 * DAYS);
    await untilClockIs(server, /set forward by 4 days/);
    assert.equal((await readHealth(server)).status, "degraded");
    assert.ok((await readHealth(server)).uptimeSeconds < 3600);
    assert.match(JSON.stringify(server.logs()), /set forward by 4 days/);
    // The server stores it after it says so.
    await until("doctor knows it", async () => /set forward by 4 days/.test((await server.run(["doctor"])).stdout), patient);
    const cleanup = await server.run(["cleanup"]);
    assert.equal(cleanup.code, 0);
    assert.match(cleanup.stdout + cleanup.stderr, /set forward by 4 days.*--trust-clock/s);
    // Not served, since it may have expired; what people delete does not wait.
    assert.equal((await askShare(server, kept.shortId)).status, 404);
    await deleteFile(server, { fileId: deleted.id, token: deleted.deletionToken });
    await cleanUp(server);
    assert.deepEqual(await read((db) => Promise.all([statusOf(db, kept.id), statusOf(db, deleted.id)])), ["stored", "removed"]);
    await clock.set(0);
    await untilClockIs(server, undefined);
    assert.equal((await askShare(server, kept.shortId)).status, 200);
    await clock.set(-2 * DAYS);
    await untilClockIs(server, /set back by 2 days/);
    assert.ok((await readHealth(server)).uptimeSeconds >= 0);
  });

  test("removes nothing early when it is wrong at a start, and due files after it is right", skip(faketimeMissing), async () => {
    await using clock = await openFakeClock();
    await using server = await start(clock);
    const read: Read = (work) => withDatabase(server, work);
    await untilClockIsStored(read);
    const kept = await upload(server, { bytes: "kept" });
    const due = await upload(server, { bytes: "due" });
    await clock.set(4 * DAYS);
    await server.restart();
    await untilClockIs(server, /^The server was stopped\. .* are removed at /);
    const health = await readHealth(server);
    assert.deepEqual([health.status, health.checks.clock.doubt?.kind], ["ok", "start"]);
    const { findings } = JSON.parse((await server.run(["doctor", "--json"])).stdout);
    const found = findings.find(({ what }: { what: string }) => what === "server clock");
    assert.deepEqual([found.status, found.fix], ["ok", undefined], "a stop is no reason to set the clock");
    await cleanUp(server);
    assert.equal(await read((db) => statusOf(db, kept.id)), "stored");
    await clock.set(0);
    await read((db) => setExpiry(db, due.shortId, Date.now() - 1));
    await untilRemoved(server, read, due.id);
    assert.equal(await read((db) => statusOf(db, kept.id)), "stored");
    await untilClockIs(server, undefined);
  });

  test("expires and removes after a first run with a clock that was ahead", skip(faketimeMissing), async () => {
    await using clock = await openFakeClock(4 * DAYS);
    await using server = await start(clock);
    const read: Read = (work) => withDatabase(server, work);
    await cleanUp(server);
    const due = await upload(server, { bytes: "due" });
    await clock.set(0);
    await server.restart();
    await read((db) => setExpiry(db, due.shortId, Date.now() - 1));
    await untilRemoved(server, read, due.id);
    assert.equal((await storedFiles(server)).length, 0);
  });

  test("follows the clock of a database server", skip(faketimeMissing), async () => {
    await using database = await startLibsqlServer();
    await using clock = await openFakeClock(4 * DAYS);
    const env = { FILEHOST_DB_URL: database.url, FILEHOST_DB_TOKEN: database.token };
    await using server = await start(clock, { env });
    const read: Read = async (work) => {
      await using opened = await openDatabase({ url: database.url, token: database.token });
      return await work(opened.db);
    };
    await untilClockIs(server, /4 days ahead of that of the database server/);
    const kept = await upload(server, { bytes: "kept" });
    const due = await upload(server, { bytes: "due" });
    await read((db) => setExpiry(db, kept.shortId, Date.now() + DAY_MS));
    await read((db) => setExpiry(db, due.shortId, Date.now() - 1));
    await untilRemoved(server, read, due.id);
    assert.equal(await read((db) => statusOf(db, kept.id)), "stored");
    const doctor = await server.run(["doctor"]);
    assert.match(doctor.stdout, /4 days ahead of that of the database server/);
    // A long stop is none in doubt if the database server says the same.
    await clock.set(0);
    await server.kill("SIGTERM");
    await read(stopLongAgo);
    await read((db) => setExpiry(db, kept.shortId, Date.now() - 1));
    await server.restart();
    await untilRemoved(server, read, kept.id);
    assert.equal((await readHealth(server)).checks.clock.reason, undefined);
  });

  const storeMissing = faketimeMissing ?? swiftMissing ?? longSkipped;
  test(`follows the clock of an S3 store${storeMissing ? ` (skipped: ${storeMissing})` : ""}`, skip(storeMissing), async () => {
    const swift = await joinSwift();
    await using clock = await openFakeClock();
    await using server = await startOnS3(swift, { env: { ...clock.env, FILEHOST_SCANNER: "off" } });
    const read: Read = (work) => withDatabase(server, work);
    await untilClockIsStored(read);
    const due = await upload(server, { bytes: "due" });
    const kept = await upload(server, { bytes: "kept" });
    await server.kill("SIGTERM");
    await read(stopLongAgo);
    await read((db) => setExpiry(db, due.shortId, Date.now() - 1));
    await server.restart();
    await untilRemoved(server, read, due.id);
    assert.equal((await readHealth(server)).checks.clock.reason, undefined);
    await clock.set(4 * DAYS);
    await untilClockIs(server, /4 days ahead of that of the file store/);
    await cleanUp(server);
    assert.equal(await read((db) => statusOf(db, kept.id)), "stored");
  });
});
