import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty-proxy.ts";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/swift.ts";
import { until } from "../../support/until.ts";
import { assertRefused, call, type UploadForm, upload } from "../support/api.ts";
import { killServerAt } from "../support/crash.ts";
import { MB, sha256, someBytes } from "../support/multipart.ts";
import { listBucket, startOnS3 } from "../support/s3.ts";
import { assertNothingLostOrLeft, audit, holdScheduledCleanup } from "../support/server-context.ts";
import { withDatabase } from "../support/state.ts";
import { type CallPoint, straceMissing } from "../support/strace.ts";
import { downloadDigest, putFile } from "../support/transfers.ts";

interface Request {
  readonly method: string;
  readonly url: string;
}

/** storage, "Rows and bytes"; request limits, "Direct uploads on S3": a small file is one request to the store, and never visible in part. */
describeUnless(swiftMissing ?? longSkipped, "a small file sent through the server to S3", () => {
  let swift: TestSwift;
  let proxy: FaultyProxy;
  before(async () => {
    swift = await joinSwift();
    proxy = await startFaultyProxy(swift.endpoint);
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
  });

  const start = async () => {
    proxy.decide = () => undefined;
    const server = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "proxy", FILEHOST_S3_ENDPOINT: proxy.url } });
    await holdScheduledCleanup(server);
    return server;
  };
  const isPut = ({ method, url }: Request) => method === "PUT" && url.includes("/files/blobs/") && !url.includes("/.store-");
  const rowsLeft = (server: TestServer) =>
    withDatabase(server, async (db) => ({
      files: (await db.selectFrom("files").select("id").execute()).length,
      sessions: (await db.selectFrom("upload_sessions").select("id").execute()).length,
    }));
  const assertNothing = async (server: TestServer & { readonly bucket: string }): Promise<void> => {
    assert.deepEqual(await listBucket(swift, server.bucket), { objects: [], uploads: [] });
    assert.deepEqual(await rowsLeft(server), { files: 0, sessions: 0 });
  };

  test("needs one request, after its row is committed; a large file is sent in parts", async () => {
    await using server = await start();
    const requests: string[] = [];
    const rows: object[] = [];
    proxy.decide = ({ method, url }) => {
      const { pathname, searchParams } = new URL(url, proxy.url);
      if (!pathname.includes("/files/blobs/") || pathname.includes("/.store-")) return undefined;
      requests.push(searchParams.has("partNumber") ? `${method} part ${searchParams.get("partNumber")}` : method);
      return { responseHeaders: {}, onResponse: async () => rows.push(await rowsLeft(server)) };
    };
    const form: UploadForm = { name: "form.bin", bytes: someBytes(10_000, 1) };
    const sends = [
      [async () => await upload(server, form), ["PUT"]],
      [async () => await putFile(server, "/small.bin", someBytes(10_000, 2)), ["PUT"]],
      [async () => await putFile(server, "/empty.bin", ""), ["PUT"]],
      [async () => await putFile(server, "/full.bin", someBytes(8 * MB, 3)), ["PUT"]],
      [async () => await putFile(server, "/large.bin", someBytes(8 * MB + 1, 4)), ["POST", "PUT part 1", "PUT part 2", "POST"]],
    ] as const;
    for (const [index, [send, expected]] of sends.entries()) {
      requests.length = 0;
      rows.length = 0;
      await send();
      assert.deepEqual(requests, expected);
      assert.deepEqual(rows, Array(expected.length).fill({ files: index + 1, sessions: 1 }));
    }
  });

  test("is stored intact although responses of the store are lost", async () => {
    await using server = await start();
    const bytes = someBytes(10_000, 5);
    for (const losses of [1, 3]) {
      let lost = 0;
      proxy.decide = (request) => (isPut(request) && lost++ < losses ? { cutAfterBytes: 0 } : undefined);
      const { id } = await putFile(server, "/note.bin", bytes);
      assert.ok(lost >= losses);
      assert.equal(await downloadDigest(server, id), sha256(bytes));
    }
    assert.equal((await listBucket(swift, server.bucket)).objects.length, 2);
    assert.deepEqual(await audit(server), { missing: [], orphans: [] });
  });

  test("leaves nothing if the store refuses it or the client disconnects", async () => {
    await using server = await start();
    proxy.decide = (request) => (isPut(request) ? { status: 503 } : undefined);
    const refused = await call(server, "PUT", "/note.bin", { body: someBytes(10_000, 6), headers: { Accept: "application/json" } });
    assertRefused(refused, { status: 503, code: "UNAVAILABLE" });
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    await assertNothing(server);

    let requests = 0;
    proxy.decide = () => {
      requests += 1;
      return undefined;
    };
    const aborter = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(new Uint8Array(10_000));
        await until("its rows exist", async () => (await rowsLeft(server)).sessions === 1);
        aborter.abort();
      },
    });
    await assert.rejects(fetch(`${server.url}/gone.bin`, { method: "PUT", body, signal: aborter.signal, duplex: "half" } as RequestInit));
    await until("its rows are gone", async () => (await rowsLeft(server)).sessions === 0);
    assert.equal(requests, 0);
    await assertNothing(server);
  });

  test("leaves no row if its form is refused, although the store fails to remove it", async () => {
    await using server = await start();
    proxy.decide = ({ method }) => (method === "DELETE" ? { status: 403 } : undefined);
    const form = new FormData();
    for (const name of ["a.bin", "b.bin", "c.bin"]) form.append("file", new File([someBytes(10_000, 8)], name));
    form.append("ttl", "never");
    const refused = await call(server, "POST", "/", { body: form, headers: { Accept: "application/json" } });
    assertRefused(refused, { status: 400, code: "VALIDATION_FAILED" });
    assert.deepEqual(await rowsLeft(server), { files: 0, sessions: 0 });
    const quotas = await withDatabase(server, (db) => db.selectFrom("quotas").select(["reserved_bytes", "file_count"]).execute());
    assert.deepEqual(quotas, [{ reserved_bytes: 0, file_count: 0 }]);
  });

  test("leaves nothing if another process removed its row meanwhile", async () => {
    await using server = await start();
    proxy.decide = (request) => {
      if (!isPut(request)) return undefined;
      const takeAway = () =>
        withDatabase(server, async (db) => {
          for (const table of ["upload_sessions", "files", "shares"] as const) await db.deleteFrom(table).execute();
        });
      return { responseHeaders: {}, onResponse: takeAway };
    };
    const response = await call(server, "PUT", "/note.bin", { body: someBytes(10_000, 7), headers: { Accept: "application/json" } });
    assert.notEqual(response.status, 200);
    await assertNothing(server);
  });

  for (const when of ["before the store has the bytes", "after the store has the bytes, before the server knows"] as const) {
    test(`leaves nothing if the server is killed ${when}`, async () => {
      await using server = await start();
      const bytes = someBytes(10_000, 8);
      proxy.decide = (request) => {
        if (!isPut(request)) return undefined;
        const kill = () => server.kill("SIGKILL");
        if (when !== "before the store has the bytes") return { cutAfterBytes: 0, onResponse: kill };
        kill().catch(() => undefined);
        return { status: 503 };
      };
      await assert.rejects(putFile(server, "/note.bin", bytes));
      proxy.decide = () => undefined;
      assert.equal((await listBucket(swift, server.bucket)).objects.length, when === "before the store has the bytes" ? 0 : 1);
      await server.restart({ signal: "SIGKILL" });
      await assertNothingLostOrLeft(server);
      await assertNothing(server);
      const { id } = await putFile(server, "/note.bin", bytes);
      assert.equal(await downloadDigest(server, id), sha256(bytes));
    });
  }

  const points = ({ dataDir }: TestServer): Record<string, CallPoint> => ({
    "before its rows are durable": { call: "fsync", when: 1, path: join(dataDir, "filehost.db-wal") },
    "before its completion is durable": { call: "fsync", when: 2, path: join(dataDir, "filehost.db-wal") },
  });

  test("leaves nothing if the server is killed at a commit", { skip: straceMissing }, async (t) => {
    await using server = await start();
    for (const [index, [when, point]] of Object.entries(points(server)).entries()) {
      await t.test(`the server is killed ${when}`, async () => {
        let puts = 0;
        proxy.decide = (request) => {
          if (isPut(request)) puts += 1;
          return undefined;
        };
        const bytes = someBytes(10_000 + index, 9);
        assert.equal(await killServerAt(server, point, () => putFile(server, "/note.bin", bytes)), undefined);
        if (point.when === 1) assert.equal(puts, 0);
        await assertNothingLostOrLeft(server);
        assert.equal((await rowsLeft(server)).sessions, 0);
      });
    }
  });
});
