import assert from "node:assert/strict";
import { test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import { startRelay } from "../../scan/relay.ts";
import { startServer } from "../../support/server.ts";
import { clamdMissing, joinClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { eventsOf } from "../support/servers/server-context.ts";
import { createFileRequest, send, tokenOf } from "../support/shares/requests.ts";
import { untilHealthy } from "../support/shares/scanning.ts";

/** requests, "Received files"; notices, "Kinds". */
describeUnless(clamdMissing, "a file that a request receives", () => {
  test("waits for the scan before its owner can open it and gets a notice, and is blocked if it is infected", async () => {
    const clamd = await joinClamd();
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address), FILEHOST_RATE_LIMITS: "off" } });
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const request = await createFileRequest(server, key);
    const requestToken = tokenOf(request);
    const receive = async (bytes: string): Promise<string> => {
      const sent = await send(server, { requestToken }, { bytes });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      return sent.body.data.id;
    };
    const statusOf = async (fileId: string) => (await client.call("getFile", { fileId })).data.scanStatus;
    const download = (id: string) => call(server, "GET", `/api/files/download/${id}`, { key });
    const arrived = async () =>
      (await client.call("listNotices", {})).data.notices.map(({ kind, about, count }) => ({ kind, about, count }));
    const told = [{ kind: "arrived", about: request.id, count: 1 }];

    // The health check has the scanner tested before its responses are withheld.
    await untilHealthy(server);
    relay.holdResponses(true);
    const clean = await receive("some bytes");
    await until("the scan has begun", async () => (await statusOf(clean)) === "scanning");
    assertRefused(await download(clean), { status: 409, code: "SCAN_PENDING" });
    assert.deepEqual([await arrived(), await eventsOf(server, clean)], [[], []]);
    relay.holdResponses(false);
    await until("the scan has ended", async () => (await statusOf(clean)) === "clean");
    assert.equal((await download(clean)).status, 200);
    assert.deepEqual(await arrived(), told);
    const [ready] = await eventsOf(server, clean);
    assert.deepEqual([ready?.type, JSON.parse(ready?.data ?? "{}").requestId], ["file.ready", request.id]);

    const infected = await receive(Buffer.from(eicarFile()).toString("latin1"));
    await until("it is blocked", async () => (await statusOf(infected)) === "unavailable");
    assertRefused(await download(infected), { status: 404, code: "SCAN_BLOCKED" });
    assert.deepEqual(
      (await eventsOf(server, infected)).map(({ type }) => type),
      ["file.failed"],
    );
    assert.deepEqual(await arrived(), told);
  });
});
