import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Origin, sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount, createKey } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { clientOf } from "../support/api/api.ts";

const MAX_STREAMS = 10;
const ENV = {
  FILEHOST_SCANNER: "off",
  FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
  FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
  FILEHOST_RATE_LIMITS: "on",
};

/** imports, "Events of a job"; request limits, "Who counts as one caller". */
describe("the limit of open event streams", () => {
  let server: TestServer;
  let origin: Origin;
  /** The event stream of an import that runs until it is cancelled. */
  let eventsPath: string;
  let job: { readonly jobId: string; readonly secret: string };

  before(async () => {
    origin = await startOrigin({ "/slow.txt": sendFile({ bytes: Buffer.from("some bytes"), stallAfter: () => 5 }) });
    server = await startServer({ env: ENV });
    ({ eventsPath, job } = await startImport());
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  async function startImport() {
    const client = clientOf(server, { headers: fromAddress("198.18.0.9") });
    const { jobId, jobSecret: secret } = (await client.call("initImport", { url: `${origin.url}/slow.txt` })).data;
    return { eventsPath: `/api/files/remote-multipart/${jobId}/events?secret=${secret}`, job: { jobId, secret } };
  }

  interface Stream {
    readonly response: Response;
    leave(): void;
  }

  async function open(headers: Record<string, string>, path = eventsPath): Promise<Stream> {
    const controller = new AbortController();
    const response = await fetch(server.url + path, { headers, signal: controller.signal });
    return { response, leave: () => controller.abort() };
  }

  const openMany = async (count: number, headers: Record<string, string>, path?: string): Promise<Stream[]> =>
    await Promise.all(Array.from({ length: count }, () => open(headers, path)));
  const statuses = (streams: readonly Stream[]): number[] => streams.map(({ response }) => response.status).sort();
  const leaveAll = (streams: readonly Stream[]): void => {
    for (const { leave } of streams) leave();
  };

  test("is ten per address, then responds 429 with Retry-After", async () => {
    const headers = fromAddress("203.0.113.1");
    const streams = await openMany(MAX_STREAMS + 5, headers);
    assert.deepEqual(statuses(streams), [...Array(MAX_STREAMS).fill(200), ...Array(5).fill(429)]);
    const { response } = streams.find(({ response }) => response.status === 429) ?? assert.fail();
    const { errorCode, retryAfterSeconds } = (await response.json()) as { errorCode: string; retryAfterSeconds: number };
    assert.equal(errorCode, "RATE_LIMITED");
    assert.equal(response.headers.get("retry-after"), String(retryAfterSeconds));
    for (const name of ["ratelimit", "ratelimit-policy", "x-ratelimit-limit"]) assert.ok(response.headers.has(name), name);
    // Other requests of this caller are not limited.
    await clientOf(server, { headers }).call("getImport", job);
    const other = await open(fromAddress("203.0.113.2"));
    assert.equal(other.response.status, 200);
    leaveAll([...streams, other]);
  });

  test("does not count streams whose client has disconnected", async () => {
    // A Pro key, because this test exceeds the free tier's request rate.
    const { key } = await addAccount(server, { tier: "pro" });
    const headers = { Authorization: `Bearer ${key}` };
    const streams = await openMany(MAX_STREAMS, headers);
    assert.deepEqual(statuses(streams), Array(MAX_STREAMS).fill(200));
    assert.equal((await open(headers)).response.status, 429);
    leaveAll(streams);
    const again: Stream[] = [];
    await until("as many streams can be opened again", async () => {
      const next = await open(headers);
      if (next.response.status === 200) again.push(next);
      return again.length === MAX_STREAMS;
    });
    leaveAll(again);
  });

  test("does not count streams that have ended", async () => {
    const headers = fromAddress("203.0.113.4");
    const { eventsPath: path, job } = await startImport();
    const streams = await openMany(MAX_STREAMS, headers, path);
    assert.deepEqual(statuses(streams), Array(MAX_STREAMS).fill(200));
    await clientOf(server, { headers }).call("cancelImport", job);
    await Promise.all(streams.map(({ response }) => response.text()));
    const next = await openMany(MAX_STREAMS, headers);
    assert.deepEqual(statuses(next), Array(MAX_STREAMS).fill(200));
    leaveAll(next);
  });

  test("is ten per account over all its keys", async () => {
    const { key } = await addAccount(server);
    const made = await createKey(server, key, { scope: "files_read" });
    const streams = [
      ...(await openMany(MAX_STREAMS / 2, { Authorization: `Bearer ${key}` })),
      ...(await openMany(MAX_STREAMS / 2 + 1, { Authorization: `Bearer ${made.key}` })),
    ];
    assert.deepEqual(statuses(streams), [...Array(MAX_STREAMS).fill(200), 429]);
    leaveAll(streams);
  });

  test("is ten per account over all addresses, without HEAD requests and unknown jobs", async () => {
    const { key } = await addAccount(server);
    const from = (host: number) => ({ ...fromAddress(`203.0.113.${host}`), Authorization: `Bearer ${key}` });
    for (let n = 0; n < MAX_STREAMS + 2; n += 1) {
      assert.equal((await fetch(server.url + eventsPath, { method: "HEAD", headers: from(5) })).status, 200);
      assert.equal((await open(from(5), "/api/files/remote-multipart/unknown/events")).response.status, 404);
    }
    const streams = [...(await openMany(MAX_STREAMS / 2, from(5))), ...(await openMany(MAX_STREAMS / 2 + 1, from(6)))];
    assert.deepEqual(statuses(streams), [...Array(MAX_STREAMS).fill(200), 429]);
    const keyless = await open(fromAddress("203.0.113.5"));
    assert.equal(keyless.response.status, 200);
    leaveAll([...streams, keyless]);
  });
});
