import assert from "node:assert/strict";
import { test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { startRelay } from "../../scan/relay.ts";
import { clamdMissing, joinClamd, startClamd } from "../../support/clamd.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts.ts";
import type { Upload } from "../support/api.ts";
import { MB, someBytes } from "../support/multipart.ts";
import { untilHealthy, waitForScan } from "../support/scanning.ts";
import { withDatabase } from "../support/state.ts";
import { putFile } from "../support/transfers.ts";

/** Ids of the clean files, in the order in which their scans ended. */
const listClean = (server: TestServer): Promise<readonly string[]> =>
  withDatabase(server, async (db) => {
    const events = await db.selectFrom("events").select("file_id").where("type", "=", "file.ready").orderBy("id").execute();
    return events.map(({ file_id }) => file_id);
  });

const countRunning = (server: TestServer): Promise<number> =>
  withDatabase(server, async (db) => (await db.selectFrom("jobs").select("id").where("lease_holder", "is not", null).execute()).length);

/** fair queues, "The next job" and "Slots of the scan queue". */
describeUnless(clamdMissing, "the scan queue of a slow clamd", () => {
  test("scans the small file of another account before the remaining ones of sixteen from one account", async () => {
    const clamd = await joinClamd();
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address), FILEHOST_SCAN_CONCURRENCY: "2" } });
    await untilHealthy(server);
    const [many, few] = [await addAccount(server), await addAccount(server)];
    relay.holdResponses(true);
    const sent: Upload[] = [];
    for (let n = 0; n < 16; n++) sent.push(await putFile(server, `/${n}.bin`, someBytes(n % 8 === 0 ? 17 * MB : 1000, n), many.key));
    await until("two are being scanned", async () => (await countRunning(server)) === 2);
    const small = await putFile(server, "/small.bin", someBytes(1000, 99), few.key);
    relay.holdResponses(false);
    for (const { shortId } of [small, ...sent]) assert.equal((await waitForScan(server, shortId)).scanStatus, "clean");
    const position = (await listClean(server)).indexOf(small.id);
    assert.ok(position >= 0 && position <= 2, `it was number ${position + 1} of 17`);
  });

  test("scans one file fewer at a time than clamd has threads", async () => {
    await using clamd = await startClamd({ settings: { MaxThreads: "6" } });
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    await untilHealthy(server);
    relay.holdResponses(true);
    const accounts = [await addAccount(server), await addAccount(server)];
    const sent: Upload[] = [];
    for (let n = 0; n < 8; n++) sent.push(await putFile(server, `/${n}.bin`, someBytes(1000, n), accounts[n % 2]?.key));
    await until("five are being scanned", async () => (await countRunning(server)) === 5);
    relay.holdResponses(false);
    for (const { shortId } of sent) assert.equal((await waitForScan(server, shortId)).scanStatus, "clean");
  });
});
