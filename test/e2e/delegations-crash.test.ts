import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { type Answer, type Body, call, type Upload } from "./support/api.ts";
import { dieAt } from "./support/crash.ts";
import { assertNothingLostOrLeft } from "./support/inside.ts";
import { someBytes } from "./support/multipart.ts";
import { withDatabase } from "./support/state.ts";
import { straceMissing } from "./support/strace.ts";

interface Delegation {
  readonly delegationToken: string;
  readonly uploadUrl: string;
}

/** decisions, "Uploads": a delegation makes one file. */
describe("a delegation over a crash", () => {
  const env = { FILEHOST_SCANNER: "off" };
  const files = (server: TestServer) => withDatabase(server, (db) => db.selectFrom("files").select(["id", "blob_state"]).execute());
  const delegate = async (server: TestServer): Promise<Delegation> => {
    const { key } = await addAccount(server);
    const options = { key, json: { name: "a.bin", protect: true } };
    return (await call<Body & { data: Delegation }>(server, "POST", "/api/files/upload-delegations", options)).body.data;
  };
  // A restart may have changed the port.
  const put = (server: TestServer, { uploadUrl }: Delegation, bytes: Uint8Array<ArrayBuffer>): Promise<Answer<Body & { data: Upload }>> =>
    call(server, "PUT", new URL(uploadUrl).pathname, { body: bytes, headers: { Accept: "application/json" } });

  test("killed in the middle of the PUT: it can be sent again", async () => {
    await using server = await startServer({ env });
    const delegation = await delegate(server);
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    socket.write(`PUT ${new URL(delegation.uploadUrl).pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 3000000\r\n\r\n`);
    socket.write(someBytes(1_000_000));
    await until("it is under way", async () => (await files(server)).length === 1);
    await server.restart({ signal: "SIGKILL" });
    socket.destroy();
    const { status, body } = await put(server, delegation, someBytes(3_000_000));
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await files(server), [{ id: body.data.id, blob_state: "stored" }]);
    await assertNothingLostOrLeft(server);
  });

  test("killed before the answer: complete tells what it became", { skip: straceMissing, timeout: 30_000 }, async () => {
    await using server = await startServer({ env });
    const delegation = await delegate(server);
    assert.equal(await dieAt(server, { call: "sendto", when: 1 }, () => put(server, delegation, someBytes(5000))), undefined);
    assert.equal((await put(server, delegation, someBytes(5000))).body.errorCode, "UPLOAD_CLOSED");
    const json = { delegationToken: delegation.delegationToken };
    const { status, body } = await call<Body & { data: Upload }>(server, "POST", "/api/files/upload-delegations/complete", { json });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await files(server), [{ id: body.data.id, blob_state: "stored" }]);
  });
});
