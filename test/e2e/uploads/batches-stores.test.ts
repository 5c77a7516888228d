import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseRecord } from "../../../src/blobs/pair-state.ts";
import type { Db } from "../../../src/db/database.ts";
import { openDatabase } from "../../../src/db/open.ts";
import { findServerState } from "../../../src/db/server-state.ts";
import { longSkipped } from "../../support/long.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import type { WireRequest } from "../../support/services/hrana.ts";
import { type LibsqlServerOptions, startLibsqlServer } from "../../support/services/libsql-server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { listBucket, startOnS3 } from "../support/servers/s3.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import { type Entry, manyFiles, postBatch, type SentFile } from "../support/uploads/batches.ts";
import { sha256 } from "../support/uploads/multipart.ts";
import { joining, type OpenedShipment, openShipment } from "../support/uploads/sent-shipments.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const ENV = { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off", FILEHOST_MIN_FREE: "0" };

async function send(server: { readonly url: string }, shipment: OpenedShipment, files: readonly SentFile[]): Promise<readonly Entry[]> {
  const { status, body } = await postBatch(server, joining(shipment), files);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.files;
}

/** Sends a batch again while the database is too busy for some of its files, as clients do. Also resolves to whether it was. */
async function sendUntilAvailable(...args: Parameters<typeof send>): Promise<{ entries: readonly Entry[]; wasBusy: boolean }> {
  let wasBusy = false;
  const entries = await until("the database is free", async () => {
    const sent = await send(...args);
    const isBusy = sent.some(({ errorCode }) => errorCode === "UNAVAILABLE");
    wasBusy ||= isBusy;
    return !isBusy && sent;
  });
  return { entries, wasBusy };
}

const assertStored = (entries: readonly Entry[]): void =>
  assert.deepEqual(
    entries.filter(({ error }) => error !== undefined),
    [],
  );

/** Asserts that the shipment has each of these files once, and that the first and the last can be downloaded. */
async function assertComplete(server: { readonly url: string }, { shortId }: OpenedShipment, files: readonly SentFile[]): Promise<void> {
  const stored = (await getShare(server, shortId)).files ?? [];
  assert.deepEqual(stored.map(({ relativePath }) => relativePath).toSorted(), files.map(({ relativePath }) => relativePath).toSorted());
  for (const { relativePath, bytes = "" } of [files[0], files.at(-1)].filter((file) => file !== undefined)) {
    const { id } = stored.find((file) => file.relativePath === relativePath) ?? assert.fail();
    assert.equal(await downloadDigest(server, id), sha256(bytes));
  }
}

async function isPaired(db: Db): Promise<boolean> {
  const record = parseRecord(await findServerState(db, "store_pair_disk"));
  return record !== undefined && record.generation !== null && record.next === null;
}

async function unfinished(db: Db): Promise<object> {
  const sessions = await db.selectFrom("upload_sessions").select("id").execute();
  const quotas = await db.selectFrom("quotas").select("reserved_bytes").execute();
  return { sessions: sessions.length, reservedBytes: quotas.reduce((sum, { reserved_bytes }) => sum + reserved_bytes, 0) };
}

const NONE_UNFINISHED = { sessions: 0, reservedBytes: 0 };

/** A server with a bucket or a database server, and a way to kill it inside a batch. */
interface Place extends AsyncDisposable {
  readonly server: TestServer;
  withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Kills the server at the n-th request from now to its store or database. */
  killAt(n: number, afterwards: boolean): void;
}

async function startOnBucket(swift: TestSwift): Promise<Place & { readonly proxy: FaultyProxy; objects(): Promise<readonly string[]> }> {
  const proxy = await startFaultyProxy(swift.endpoint);
  const server = await startOnS3(swift, { env: { ...ENV, FILEHOST_S3_UPLOADS: "proxy", FILEHOST_S3_ENDPOINT: proxy.url } });
  return {
    server,
    proxy,
    objects: async () => (await listBucket(swift, server.bucket, 500)).objects,
    async withDatabase(work) {
      await using opened = await openDatabase({ url: `file:${server.dataDir}/filehost.db` });
      return await work(opened.db);
    },
    killAt(n, afterwards) {
      let count = 0;
      proxy.decide = (request) => {
        if (!isPut(request) || ++count < n) return undefined;
        const kill = () => server.kill("SIGKILL");
        if (afterwards) return { cutAfterBytes: 0, onResponse: kill };
        kill().catch(() => undefined);
        return { status: 503 };
      };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

const isPut = ({ method, url }: { readonly method: string; readonly url: string }): boolean =>
  method === "PUT" && url.includes("/files/blobs/");

async function startOnDatabaseServer(): Promise<Place & { readonly faults: { decide: LibsqlServerOptions["fault"] } }> {
  const faults: { decide: LibsqlServerOptions["fault"] } = { decide: undefined };
  const database = await startLibsqlServer({ fault: (requests) => faults.decide?.(requests) });
  const server = await startServer({ env: { ...ENV, FILEHOST_DB_URL: database.url, FILEHOST_DB_TOKEN: database.token } });
  return {
    server,
    faults,
    async withDatabase(work) {
      await using opened = await openDatabase({ url: database.url, token: database.token });
      return await work(opened.db);
    },
    killAt(n, afterwards) {
      let count = 0;
      faults.decide = () => {
        if (++count < n) return undefined;
        server.kill("SIGKILL").catch(() => undefined);
        return afterwards ? "lose-response" : "lose-request";
      };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** uploads, "Many small files"; storage, "Rows and bytes". */
describeUnless(swiftMissing ?? longSkipped, "a batch into an S3 store", () => {
  test("stores each file once, also if it is sent again", async () => {
    await using place = await startOnBucket(await joinSwift());
    const { server } = place;
    const shipment = await openShipment(server);
    const files = manyFiles(40);
    const stored = await send(server, shipment, files);
    assertStored(stored);
    const objects = await place.objects();
    assert.equal(objects.length, files.length);
    const again = await Promise.all([send(server, shipment, files), send(server, shipment, files)]);
    for (const entries of again)
      assert.deepEqual(
        entries.map(({ id }) => id),
        stored.map(({ id }) => id),
      );
    assert.deepEqual(await place.objects(), objects);
    await assertComplete(server, shipment, files);
    assert.deepEqual(await place.withDatabase(unfinished), NONE_UNFINISHED);
  });

  test("refuses the file that the store refuses, leaves nothing of it, and stores it when it is sent again", async () => {
    await using place = await startOnBucket(await joinSwift());
    const { server, proxy } = place;
    const shipment = await openShipment(server);
    const files = manyFiles(40);
    let refused: string | undefined;
    proxy.decide = (request) => {
      if (!isPut(request)) return undefined;
      refused ??= request.url;
      return request.url === refused ? { status: 503 } : undefined;
    };
    const stored = await send(server, shipment, files);
    assert.deepEqual(
      stored.flatMap(({ errorCode }) => errorCode ?? []),
      ["UNAVAILABLE"],
    );
    assert.deepEqual(await place.withDatabase(unfinished), NONE_UNFINISHED);
    assert.equal((await place.objects()).length, files.length - 1);
    proxy.decide = () => undefined;
    assertStored(await send(server, shipment, files));
    await assertComplete(server, shipment, files);
    await assertNothingLostOrLeft(server);
    assert.equal((await place.objects()).length, files.length);
  });

  for (const when of ["before", "after"] as const) {
    test(`loses and leaves nothing if the server is killed ${when} the store has a file`, async () => {
      await using place = await startOnBucket(await joinSwift());
      const before = await sendKilled(place, { n: 20, afterwards: when === "after" });
      place.proxy.decide = () => undefined;
      await assertContinues(place, before);
      assert.equal((await place.objects()).length, 60);
    });
  }
});

interface Interrupted {
  readonly shipment: OpenedShipment;
  readonly answered: readonly Entry[];
}

/** Sends 5 files, then 60, during which the server is killed; resolves to what was answered. */
async function sendKilled(place: Place, { n, afterwards }: { readonly n: number; readonly afterwards: boolean }): Promise<Interrupted> {
  const shipment = await openShipment(place.server);
  const answered = await send(place.server, shipment, manyFiles(5));
  assertStored(answered);
  place.killAt(n, afterwards);
  await assert.rejects(postBatch(place.server, joining(shipment), manyFiles(60)));
  await place.server.kill();
  return { shipment, answered };
}

/** Restarts the server and sends all files again: those that were answered are the same, and each is there once. */
async function assertContinues({ server, withDatabase }: Place, { shipment, answered }: Interrupted): Promise<void> {
  await server.restart();
  await assertNothingLostOrLeft(server);
  assert.deepEqual(await withDatabase(unfinished), NONE_UNFINISHED);
  const files = manyFiles(60);
  const stored = await send(server, shipment, files);
  assertStored(stored);
  assert.deepEqual(
    stored.slice(0, answered.length).map(({ id }) => id),
    answered.map(({ id }) => id),
  );
  await assertComplete(server, shipment, files);
  await assertNothingLostOrLeft(server);
}

/** uploads, "Many small files"; storage, "The database". */
describe("a batch into a database on a server", () => {
  test("stores each file once, although two server instances receive it, and refuses one bad file", async () => {
    await using instances: ServerInstances = await startServerInstances({ count: 2, env: ENV });
    const shipment = await openShipment(instances.instance(0));
    const files = manyFiles(40);
    const bad = { relativePath: "bad.txt", bytes: "bad", sha256: sha256("other") };
    const both = await Promise.all([0, 1].map((n) => sendUntilAvailable(instances.instance(n), shipment, [...files, bad])));
    for (const { entries } of both)
      assert.deepEqual(
        entries.flatMap(({ errorCode, relativePath }) => (errorCode ? [[relativePath, errorCode]] : [])),
        [["bad.txt", "DIGEST_MISMATCH"]],
      );
    assert.deepEqual(
      both[0]?.entries.map(({ id }) => id),
      both[1]?.entries.map(({ id }) => id),
    );
    // What a busy database could not release is left to the cleanup.
    if (!both.some(({ wasBusy }) => wasBusy)) assert.deepEqual(await instances.withDatabase(unfinished), NONE_UNFINISHED);
    await assertComplete(instances.instance(1), shipment, files);
    await assertNothingLostOrLeft(instances.instance(0));
  });

  for (const [index, fault] of (["lose-request", "lose-response"] as const).entries()) {
    test(`loses and leaves nothing if the server is killed and the database has ${index === 0 ? "not received" : "executed"} its last request`, {
      skip: longSkipped,
    }, async () => {
      await using place = await startOnDatabaseServer();
      for (const n of [15, 150].map((n) => n + index)) {
        const before = await sendKilled(place, { n, afterwards: fault === "lose-response" });
        place.faults.decide = undefined;
        await assertContinues(place, before);
      }
    });
  }

  test("leaves no unfinished upload if the responses to its commits are lost, and stores all files when it is sent again", async () => {
    await using place = await startOnDatabaseServer();
    const { server } = place;
    const shipment = await openShipment(server);
    const files = manyFiles(40);
    await until("the server has paired its store, which commits too", () => place.withDatabase(isPaired));
    // The first commit is that of the checks before any file.
    let commits = 0;
    place.faults.decide = (requests) => (isCommit(requests) && ++commits > 1 && commits < 8 ? "lose-response" : undefined);
    await send(server, shipment, files);
    place.faults.decide = undefined;
    assert.ok(commits > 7);
    assert.deepEqual(await place.withDatabase(unfinished), NONE_UNFINISHED);
    assertStored(await send(server, shipment, files));
    await assertComplete(server, shipment, files);
    await assertNothingLostOrLeft(server);
  });
});

const isCommit = (requests: readonly WireRequest[]): boolean => JSON.stringify(requests).includes('"COMMIT"');
