import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { type ApiResponse, type Body, call, clientOf, type Upload } from "../support/api/api.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { straceMissing } from "../support/servers/strace.ts";
import type { Delegation } from "../support/shares/delegations.ts";
import { someBytes } from "../support/uploads/multipart.ts";

/** uploads, "Delegations": a delegation makes one file. */
describeUnless(longSkipped, "an upload delegation after a crash", () => {
  const env = { FILEHOST_SCANNER: "off" };
  const files = (server: TestServer) => withDatabase(server, (db) => db.selectFrom("files").select(["id", "blob_state"]).execute());
  const delegate = async (server: TestServer): Promise<Delegation> => {
    const { key } = await addAccount(server);
    return (await clientOf(server, { key }).call("createDelegation", { name: "a.bin", protect: true })).data;
  };
  // A restart may have changed the port.
  const put = (
    server: TestServer,
    { uploadUrl }: Delegation,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<ApiResponse<Body & { data: Upload }>> =>
    call(server, "PUT", new URL(uploadUrl).pathname, { body: bytes, headers: { Accept: "application/json" } });

  test("accepts the PUT again when the server was killed during it", async () => {
    await using server = await startServer({ env });
    const delegation = await delegate(server);
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    socket.write(`PUT ${new URL(delegation.uploadUrl).pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 3000000\r\n\r\n`);
    socket.write(someBytes(1_000_000));
    await until("the upload has started", async () => (await files(server)).length === 1);
    await server.restart({ signal: "SIGKILL" });
    socket.destroy();
    const { status, body } = await put(server, delegation, someBytes(3_000_000));
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await files(server), [{ id: body.data.id, blob_state: "stored" }]);
    await assertNothingLostOrLeft(server);
  });

  test("returns the file from complete when the server was killed before the response", { skip: straceMissing }, async () => {
    await using server = await startServer({ env });
    const delegation = await delegate(server);
    assert.equal(await killServerAt(server, { call: "sendto", when: 1 }, () => put(server, delegation, someBytes(5000))), undefined);
    assert.equal((await put(server, delegation, someBytes(5000))).body.errorCode, "UPLOAD_CLOSED");
    const { delegationToken } = delegation;
    const { data } = await clientOf(server).call("completeDelegation", { delegationToken });
    assert.deepEqual(await files(server), [{ id: data.id, blob_state: "stored" }]);
  });
});
