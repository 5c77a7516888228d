import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import {
  type CreatedImport,
  cancelImport,
  createImport,
  getJob,
  startImportingServer,
  startStalledOrigin,
  waitForEnd,
} from "../support/shares/imports.ts";

/** fair queues, "The next job" and "Slots of imports". */
describe("an import", () => {
  let server: TestServer;
  before(async () => {
    server = await startImportingServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("is not delayed by three other callers whose sources have stalled", async () => {
    await using origin = await startStalledOrigin();
    await using other = await startOrigin({ "/b": sendFile({ bytes: randomBytes(1000) }) });
    const jobs: CreatedImport[] = [];
    for (let caller = 0; caller < 3; caller++) {
      const { key } = await addAccount(server);
      for (let n = 0; n < 4; n++) jobs.push(await createImport(server, { url: `${origin.url}/a` }, key));
    }
    await until("nine are running, and each caller's fourth is queued", async () => {
      const statuses = await Promise.all(jobs.map(async (job) => (await getJob(server, job)).status));
      return statuses.filter((status) => status === "importing").length === 9;
    });
    const { key } = await addAccount(server);
    const job = await waitForEnd(server, await createImport(server, { url: `${other.url}/b` }, key));
    assert.equal(job.status, "completed");
    for (const job of jobs) await cancelImport(server, job);
  });

  test("is refused with Retry-After as the seventh direct request of its caller", async () => {
    const { key } = await addAccount(server);
    await using origin = await startOrigin({
      "/a": sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 }),
      "/b": sendFile({ bytes: randomBytes(9) }),
    });
    const ask = (path: string, signal?: AbortSignal) =>
      fetch(`${server.url}/api/files/remote-upload`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
        body: JSON.stringify({ url: origin.url + path }),
        signal,
      });
    const leaving = new AbortController();
    const waiting = Array.from({ length: 6 }, () => ask("/a", leaving.signal).catch(() => undefined));
    await until("six are running", () => origin.requests.length === 6);
    const refused = await call(server, "POST", "/api/files/remote-upload", { json: { url: `${origin.url}/b` }, key });
    assertRefused(refused, { status: 429, code: "TOO_MANY_UPLOADS" });
    assert.equal(refused.headers.get("retry-after"), "10");
    const otherAccount = await addAccount(server);
    await clientOf(server, { key: otherAccount.key }).call("importFile", { url: `${origin.url}/b` });
    leaving.abort();
    await Promise.all(waiting);
  });
});
