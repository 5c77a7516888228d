import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { type ApiResponse, type Body, call, type Upload } from "../support/api/api.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { complete, init, postAbort, postInit, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** idempotency, "What a repeated request gets". */
describeUnless(longSkipped, "an Idempotency-Key after a crash", () => {
  const headers = { Accept: "application/json", "Idempotency-Key": "over-a-crash" };
  const env = { FILEHOST_SCANNER: "off" };
  const put = (
    server: TestServer,
    bytes: Uint8Array<ArrayBuffer>,
    key: string,
  ): Promise<ApiResponse<Body & { data: Upload & { idempotent?: boolean } }>> =>
    call(server, "PUT", "/a.bin", { key, body: bytes, headers });
  const files = (server: TestServer) =>
    withDatabase(server, (db) => db.selectFrom("files").select("id").where("status", "=", "active").execute());

  test("returns the stored response", async () => {
    await using server = await startServer({ env });
    const { key } = await addAccount(server);
    const first = await put(server, someBytes(1000), key);
    await server.restart({ signal: "SIGKILL" });
    const again = await put(server, someBytes(1000), key);
    assert.deepEqual({ id: again.body.data.id, idempotent: again.body.data.idempotent }, { id: first.body.data.id, idempotent: true });
    assert.equal((await files(server)).length, 1);
  });

  test("accepts the upload again when the server was killed during the body", async () => {
    await using server = await startServer({ env });
    const { key } = await addAccount(server);
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    socket.write(
      `PUT /a.bin HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: over-a-crash\r\nContent-Length: 3000000\r\n\r\n`,
    );
    socket.write(someBytes(1_000_000));
    await until("the upload has started", async () => (await files(server)).length === 1);
    await server.restart({ signal: "SIGKILL" });
    socket.destroy();
    const { status, body } = await put(server, someBytes(3_000_000), key);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(!("idempotent" in body.data));
    assert.equal((await put(server, someBytes(3_000_000), key)).body.data.id, body.data.id);
    await assertNothingLostOrLeft(server);
    assert.equal((await files(server)).length, 1);
  });

  test("returns the one file when the server was killed before the response", { skip: straceMissing }, async () => {
    await using server = await startServer({ env });
    const { key } = await addAccount(server);
    const response = await killServerAt(server, { call: "sendto", when: 1 }, () => put(server, someBytes(5000), key));
    assert.equal(response, undefined);
    const [made] = await files(server);
    const { status, body } = await put(server, someBytes(5000), key);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual({ id: body.data.id, idempotent: body.data.idempotent }, { id: made?.id, idempotent: true });
    assert.equal((await files(server)).length, 1);
  });

  const points: readonly CallPoint[] = [
    { call: "ftruncate", when: 1 },
    { call: "fsync", when: 1, path: "staging" },
    { call: "sendto", when: 1 },
  ];
  for (const { path, ...point } of points) {
    const where = path === undefined ? point.call : `${point.call} of ${path}`;
    test(`creates one upload session when the server was killed at ${where} during init`, { skip: straceMissing }, async () => {
      await using server = await startServer({ env });
      const { key } = await addAccount(server);
      const initUpload = () => postInit(server, { fileName: "a.bin", fileSize: 1000 }, { key, headers });
      const at = { ...point, ...(path !== undefined && { path: join(server.dataDir, path) }) };
      assert.equal(await killServerAt(server, at, initUpload), undefined);
      const { status, body } = await initUpload();
      assert.equal(status, 200, JSON.stringify(body));
      await assertNothingLostOrLeft(server);
      const { sessions, reservedBytes } = await countStoredState(server);
      assert.deepEqual({ sessions, reservedBytes }, { sessions: 1, reservedBytes: 1000 });
      const bytes = someBytes(1000);
      await complete(server, body.data, { parts: await sendParts(server, body.data, bytes, { key }) }, { key });
    });
  }

  test("returns success for an abort when the server was killed before it removed the bytes", {
    skip: straceMissing,
  }, async () => {
    await using server = await startServer({ env });
    const { key } = await addAccount(server);
    const session = await init(server, { fileSize: 1000 }, { key });
    const abort = (): Promise<ApiResponse> => postAbort(server, session, { key, headers });
    assert.equal(await killServerAt(server, { call: "unlinkat", when: 1 }, abort), undefined);
    const { status, body } = await abort();
    assert.deepEqual({ status, success: body.success, idempotent: body.idempotent }, { status: 200, success: true, idempotent: true });
    await assertNothingLostOrLeft(server);
  });
});
