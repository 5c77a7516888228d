import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatClamdAddress } from "../../src/scan/clamd-address.ts";
import { startRelay } from "../scan/relay.ts";
import { clamdMissing, startClamd } from "../support/clamd.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import type { Upload } from "./support/api.ts";
import { MB, someBytes } from "./support/multipart.ts";
import { checked, health } from "./support/scanning.ts";
import { withDatabase } from "./support/state.ts";
import { putFile } from "./support/transfers.ts";

/** Ids of files, in the order of their verdicts. */
const verdicts = (server: TestServer): Promise<readonly string[]> =>
  withDatabase(server, async (db) => {
    const events = await db.selectFrom("events").select("file_id").where("type", "=", "file.ready").orderBy("id").execute();
    return events.map(({ file_id }) => file_id);
  });

const running = (server: TestServer): Promise<number> =>
  withDatabase(server, async (db) => (await db.selectFrom("jobs").select("id").where("lease_holder", "is not", null).execute()).length);

/** decisions, "Scanning"; interface, "Safety-check status". */
describe("the scan queue before a slow clamd", { skip: clamdMissing }, () => {
  test("checks another caller's small file before the rest of sixteen of one caller, whatever their sizes", {
    timeout: 60_000,
  }, async () => {
    await using clamd = await startClamd();
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address), FILEHOST_SCAN_CONCURRENCY: "2" } });
    assert.equal((await health(server)).status, 200);
    const [many, few] = [await addAccount(server), await addAccount(server)];
    relay.holdAnswers(true);
    const sent: Upload[] = [];
    for (let n = 0; n < 16; n++) sent.push(await putFile(server, `/${n}.bin`, someBytes(n % 8 === 0 ? 17 * MB : 1000, n), many.key));
    await until("two are before the scanner", async () => (await running(server)) === 2);
    const small = await putFile(server, "/small.bin", someBytes(1000, 99), few.key);
    relay.holdAnswers(false);
    for (const { shortId } of [small, ...sent]) assert.equal((await checked(server, shortId)).scanStatus, "clean");
    const place = (await verdicts(server)).indexOf(small.id);
    assert.ok(place >= 0 && place <= 2, `it was number ${place + 1} of 17`);
  });

  test("scans as many files at the same time as clamd has threads for but one", { timeout: 60_000 }, async () => {
    await using clamd = await startClamd({ settings: { MaxThreads: "6" } });
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    assert.equal((await health(server)).status, 200);
    relay.holdAnswers(true);
    const accounts = [await addAccount(server), await addAccount(server)];
    const sent: Upload[] = [];
    for (let n = 0; n < 8; n++) sent.push(await putFile(server, `/${n}.bin`, someBytes(1000, n), accounts[n % 2]?.key));
    await until("five are before the scanner", async () => (await running(server)) === 5);
    relay.holdAnswers(false);
    for (const { shortId } of sent) assert.equal((await checked(server, shortId)).scanStatus, "clean");
  });
});
