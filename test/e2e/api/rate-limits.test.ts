import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { startServer, type TestServer } from "../../support/server.ts";
import { addAccount, createKey } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { type ApiResponse, assertRefused, type CallOptions, call, type Upload, upload } from "../support/api/api.ts";
import { withDatabase } from "../support/servers/state.ts";
import { manyFiles, postBatch } from "../support/uploads/batches.ts";
import { init, partUrl, putPart, someBytes } from "../support/uploads/multipart.ts";

const ENV = { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "on", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" };
const NAMES = ["ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

interface RateState {
  readonly status: number;
  readonly limit: number;
  readonly remaining: number;
}

/** limits, "Rates"; request limits, "Who counts as one caller". */
describe("the general request rate", () => {
  let server: TestServer;
  let file: Upload;
  before(async () => {
    server = await startServer({ env: ENV });
    file = await upload(server, { bytes: "hello" }, { headers: fromAddress("198.18.0.1") });
  });
  after(() => server[Symbol.asyncDispose]());

  let hosts = 0;
  /** An address that is not counted yet. */
  const newAddress = (): string => {
    hosts += 1;
    return `203.0.113.${hosts}`;
  };
  const requestShare = (options: CallOptions = {}): Promise<ApiResponse> =>
    call(server, "GET", `/api/files/share/${file.shortId}`, options);
  const toRateState = ({ status, headers }: { status: number; headers: Headers }): RateState => ({
    status,
    limit: Number(headers.get("x-ratelimit-limit") ?? Number.NaN),
    remaining: Number(headers.get("x-ratelimit-remaining") ?? Number.NaN),
  });
  const ask = async (method: string, path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<RateState> => {
    const response = await fetch(server.url + path, { redirect: "manual", ...init, method, headers });
    await response.arrayBuffer();
    return toRateState(response);
  };
  const use = async (count: number, options: CallOptions): Promise<number[]> =>
    (await Promise.all(Array.from({ length: count }, () => requestShare(options)))).map(({ status }) => status);
  const countOf = (statuses: readonly number[], status: number): number => statuses.filter((one) => one === status).length;

  test("every response states the limit and the remaining requests", async () => {
    const headers = fromAddress(newAddress());
    const { headers: stated } = await requestShare({ headers });
    assert.match(stated.get("ratelimit-policy") ?? "", /^"[\w-]+";q=100;w=60$/);
    assert.match(stated.get("ratelimit") ?? "", /^"[\w-]+";r=99;t=(60|59)$/);
    assert.equal(stated.get("x-ratelimit-limit"), "100");
    assert.equal(stated.get("x-ratelimit-remaining"), "99");
    const resetMs = Number(stated.get("x-ratelimit-reset")) * 1000 - Date.now();
    assert.ok(resetMs > 50_000 && resetMs <= 61_000, String(resetMs));
    assert.match(stated.get("access-control-expose-headers") ?? "", /RateLimit/);
  });

  test("an archive counts as one request per hundred files, but at most the remaining requests", async () => {
    const { key } = await addAccount(server);
    const { id, shortId } = await upload(server, { bytes: "1", fields: { openShare: "true" } }, { key });
    const grow = (files: number): Promise<unknown> =>
      withDatabase(server, (db) =>
        sql`INSERT INTO files (id, short_id, owner_id, quota_owner, name, size_bytes, content_type, blob_key, blob_state, scan_status, created_at)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${files})
          SELECT id || '-' || ${files} || '-' || i, short_id, owner_id, quota_owner, name, 0, content_type,
            printf('%016x%016x', ${files}, i), blob_state, scan_status, created_at FROM n, files WHERE id = ${id}`.execute(db),
      );
    await grow(200);
    const headers = fromAddress(newAddress());
    const archive = async (): Promise<RateState> =>
      toRateState(await call(server, "GET", `/api/files/share/${shortId}/archive`, { headers }));
    assert.deepEqual(await archive(), { status: 200, limit: 100, remaining: 97 });
    await grow(9_799);
    assert.deepEqual(await archive(), { status: 200, limit: 100, remaining: 0 });
    assert.equal((await requestShare({ headers })).status, 429);
  });

  test("a deletion of files counts as one request per hundred files", async () => {
    const { key } = await addAccount(server);
    const fileIds = Array.from({ length: 350 }, (_, n) => `unknown${n}`);
    const response = await call(server, "POST", "/api/files/delete-many", { key, json: { fileIds } });
    assert.deepEqual(toRateState(response), { status: 200, limit: 100, remaining: 96 });
  });

  test("a batch counts as one request, whatever its number of files", async () => {
    const { key } = await addAccount(server);
    const { shortId } = await upload(server, { bytes: "1", fields: { openShare: "true" } }, { key });
    const { headers } = await postBatch(server, { shareShortId: shortId }, manyFiles(120), { key });
    assert.equal(headers.get("x-ratelimit-remaining"), "98");
  });

  test("successful and failed requests, pages and unknown paths count one each", async () => {
    const address = fromAddress(newAddress());
    const json = { ...address, "Content-Type": "application/json" };
    const asked: readonly [string, string, Record<string, string>, RequestInit?][] = [
      ["GET", `/api/files/share/${file.shortId}`, address],
      ["GET", "/api/files/share/aaaaaaaa", address],
      ["GET", "/api/files/list", address],
      ["POST", "/api/files/claim", json, { body: "{}" }],
      ["POST", "/api/files/multipart/init", json, { body: "nonsense" }],
      ["POST", "/api/files/upload", address, { body: "no form" }],
      ["PUT", "/api/files/upload", address, { body: "wrong method" }],
      ["GET", "/api/nothing", address],
      ["GET", "/nothing", address],
      ["GET", "/", address],
      ["HEAD", "/", address],
      ["GET", file.sharePath, address],
      ["GET", "/d/aaaaaaaa", address],
      ["GET", "/h/ho_nothing", address],
      ["GET", "/llms.txt", address],
      ["GET", "/agent-openapi.json", address],
      ["GET", "/api/agent-openapi.json", address],
      ["GET", "/api/agent/capabilities", address],
      ["PUT", "/a.txt", { ...address, Accept: "application/json" }, { body: "x" }],
    ];
    let left = 100;
    for (const [method, path, headers, init] of asked) {
      left -= 1;
      const { limit, remaining } = await ask(method, path, headers, init);
      assert.deepEqual({ limit, remaining }, { limit: 100, remaining: left }, `${method} ${path}`);
    }
  });

  test("a request with an invalid key counts for its address", async () => {
    const address = newAddress();
    const { headers } = await requestShare({ headers: fromAddress(address), key: "bc_nothing" });
    assert.equal(headers.get("x-ratelimit-remaining"), "99");
    assert.equal(toRateState(await requestShare({ headers: fromAddress(address) })).remaining, 98);
  });

  test("a hundred requests a minute are allowed without a key, then 429 with Retry-After, on pages too", async () => {
    const headers = fromAddress(newAddress());
    const statuses = await use(130, { headers });
    assert.deepEqual([countOf(statuses, 200), countOf(statuses, 429)], [100, 30]);
    const late = await requestShare({ headers });
    assertRefused(late, { status: 429, code: "RATE_LIMITED" });
    const wait = Number(late.headers.get("retry-after"));
    assert.ok(wait >= 1 && wait <= 60, String(wait));
    for (const name of NAMES) assert.ok(late.headers.has(name), name);
    assert.equal(late.headers.get("x-ratelimit-remaining"), "0");
    for (const path of ["/", file.sharePath, "/nothing"]) {
      const page = await fetch(server.url + path, { headers: { ...headers, Accept: "text/html" } });
      assert.equal(page.status, 429, path);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
      assert.ok(page.headers.has("retry-after"));
    }
    assert.equal((await ask("GET", "/api/nothing", headers)).status, 429);
    assert.equal((await requestShare({ headers: fromAddress(newAddress()) })).status, 200);
  });

  test("parts, signed URLs, assets and health neither count nor are limited", async () => {
    const headers = fromAddress(newAddress());
    const session = await init(server, { fileSize: 10 }, { headers });
    const bytes = someBytes(10);
    const part = await partUrl(server, session, 1, bytes, { headers });
    const html = await (await fetch(`${server.url}/`, { headers })).text();
    const asset = /\/assets\/[\w.-]+/.exec(html)?.[0] ?? assert.fail();
    await use(110, { headers });
    assert.equal((await requestShare({ headers })).status, 429);
    assert.equal((await putPart(part, bytes)).status, 200);
    const { pathname, search } = new URL(file.url);
    for (const path of [pathname + search, asset, "/health", "/api/health", "/health/live", "/ready"]) {
      const { status } = await ask("GET", path, headers);
      assert.equal(status, 200, path);
    }
    const fresh = fromAddress(newAddress());
    for (const path of [pathname + search, asset, "/health", "/api/health", "/ready"]) await ask("GET", path, fresh);
    assert.equal(toRateState(await requestShare({ headers: fresh })).remaining, 99);
  });

  test("unknown URLs count, except below the folders of signed URLs, parts and assets", async () => {
    for (const path of ["/nothing", "/dl", "/ar", "/up", "/assets", "/health/", "/health/nothing", "/de/a/b"]) {
      assert.deepEqual(await ask("GET", path, fromAddress(newAddress())), { status: 404, limit: 100, remaining: 99 }, path);
    }
    for (const path of ["/dl/a/b/c", "/ar/a/b", "/up/a/b/c", "/assets/nothing"]) {
      assert.deepEqual(await ask("GET", path, fromAddress(newAddress())), { status: 404, limit: Number.NaN, remaining: Number.NaN }, path);
    }
  });

  test("all keys of an account share one limit", async () => {
    const { key } = await addAccount(server);
    const { key: second } = await createKey(server, key, { scope: "files_read" });
    assert.equal(toRateState(await requestShare({ key: second })).remaining, 98);
    const statuses = [...(await use(60, { key })), ...(await use(60, { key: second }))];
    assert.deepEqual([countOf(statuses, 200), countOf(statuses, 429)], [98, 22]);
  });

  test("an account has one limit at all its addresses, and another account has its own", async () => {
    const headers = fromAddress(newAddress());
    const [one, other] = [await addAccount(server), await addAccount(server)];
    const half = await Promise.all([
      use(60, { key: one.key, headers: fromAddress(newAddress()) }),
      use(60, { key: one.key, headers: fromAddress(newAddress()) }),
    ]);
    assert.deepEqual([countOf(half.flat(), 200), countOf(half.flat(), 429)], [100, 20]);
    const late = await requestShare({ key: one.key, headers });
    assert.deepEqual(toRateState(late), { status: 429, limit: 100, remaining: 0 });
    assert.equal(toRateState(await requestShare({ key: other.key })).remaining, 99);
    // Requests refused for the account do not count for the address.
    assert.equal(toRateState(await requestShare({ headers })).remaining, 99);
    // Nor do they limit anonymous clients at the same address.
    assert.equal((await requestShare({ headers: fromAddress(newAddress()) })).status, 200);
  });

  test("a Pro account may send a thousand requests a minute", async () => {
    const { key } = await addAccount(server, { tier: "pro" });
    assert.deepEqual(toRateState(await requestShare({ key })), { status: 200, limit: 1000, remaining: 999 });
    let good = 1;
    for (let n = 0; n < 11; n += 1) good += countOf(await use(100, { key }), 200);
    assert.equal(good, 1000);
  });

  test("file info counts all known codes as one, regardless of earlier refusals", async () => {
    const headers = fromAddress(newAddress());
    const info = (codes: string): Promise<ApiResponse> => call(server, "GET", `/api/files/info?file_code=${codes}`, { headers });
    const { shortId } = await upload(server, { bytes: "x" });
    assert.equal(toRateState(await info(Array(80).fill(shortId).join(","))).remaining, 99);
    assert.equal(toRateState(await info(`${shortId},${shortId},unknown1,unknown2`)).remaining, 96);
    assertRefused(await info(Array(97).fill(shortId).join(",")), { status: 429, code: "RATE_LIMITED" });
    assert.equal(toRateState(await info(shortId)).remaining, 94, "the refused request counts, but not its codes");
  });

  test("file info counts one per unknown code and accepts at most a hundred", async () => {
    const headers = fromAddress(newAddress());
    const info = (codes: number): Promise<ApiResponse> =>
      call(server, "GET", `/api/files/info?file_code=${Array.from({ length: codes }, (_, n) => `code${n}`).join(",")}`, { headers });
    assert.equal(toRateState(await info(1)).remaining, 99);
    assert.equal(toRateState(await info(40)).remaining, 59);
    assertRefused(await info(101), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await info(90), { status: 429, code: "RATE_LIMITED" });
    assert.equal((await info(20)).status, 200);
  });

  test("IPv6 counts by /64 and by /48 with sixteen times the limit, and mapped IPv4 as IPv4", async () => {
    const net = (subnet: number, host: string): CallOptions => ({ headers: fromAddress(`2001:db8:77:${subnet.toString(16)}::${host}`) });
    assert.deepEqual([countOf(await use(60, net(0, "1")), 200), countOf(await use(60, net(0, "ffff")), 200)], [60, 40]);
    assert.equal((await requestShare(net(1, "1"))).status, 200);
    let good = 101;
    for (let subnet = 1; subnet < 20; subnet += 1) good += countOf(await use(100, net(subnet, "2")), 200);
    assert.equal(good, 1600);
    assert.equal((await requestShare({ headers: fromAddress("2001:db8:78::1") })).status, 200);
    const address = newAddress();
    await requestShare({ headers: fromAddress(address) });
    assert.equal(toRateState(await requestShare({ headers: fromAddress(`::ffff:${address}`) })).remaining, 98);
  });

  test("preflight requests do not count", async () => {
    const headers = fromAddress(newAddress());
    for (let n = 0; n < 5; n += 1) await fetch(`${server.url}/api/files/upload`, { method: "OPTIONS", headers });
    assert.equal(toRateState(await requestShare({ headers })).remaining, 99);
  });
});

test("FILEHOST_RATE_LIMITS=off disables only the general rate", async () => {
  await using server = await startServer({ env: { ...ENV, FILEHOST_RATE_LIMITS: "off" } });
  const responses = await Promise.all(Array.from({ length: 130 }, () => call(server, "GET", "/api/agent/capabilities")));
  assert.ok(responses.every(({ status }) => status === 200));
  const challenges = await Promise.all(Array.from({ length: 22 }, () => call(server, "POST", "/api/agent/register/challenge")));
  assert.equal(challenges.filter(({ status }) => status === 429).length, 2);
});

test("X-Forwarded-For of an untrusted peer does not change the counted address", async () => {
  await using server = await startServer({ env: { ...ENV, FILEHOST_TRUSTED_PROXIES: "" } });
  const remaining = async (address: string): Promise<string | null> =>
    (await call(server, "GET", "/api/agent/capabilities", { headers: fromAddress(address) })).headers.get("x-ratelimit-remaining");
  assert.deepEqual([await remaining("203.0.113.1"), await remaining("203.0.113.2")], ["99", "98"]);
});

test("all agents of one address together have five times the requests and imports of one agent", async () => {
  const limits = { rates: { importsAgent: 2, free: 30 } };
  const env = { ...ENV, FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8", FILEHOST_LIMITS: JSON.stringify(limits) };
  await using server = await startServer({ env });
  const agents = await Promise.all(Array.from({ length: 6 }, () => addAccount(server)));
  await withDatabase(server, (db) => db.updateTable("users").set({ role: "agent", agent_group: "one-address" }).execute());
  const statuses: number[][] = [];
  for (const { key } of agents) {
    const startImport = () => call(server, "POST", "/api/files/remote-multipart/init", { key, json: { url: "http://127.0.0.1:9/a.bin" } });
    statuses.push([(await startImport()).status, (await startImport()).status, (await startImport()).status]);
  }
  assert.deepEqual(statuses, [...Array(5).fill([202, 202, 429]), [429, 429, 429]]);
  const left = async (key: string): Promise<number> =>
    Number((await call(server, "GET", "/api/me", { key })).headers.get("x-ratelimit-remaining"));
  for (const { key } of agents.slice(0, 5)) while ((await left(key)) > 0);
  assert.equal((await call(server, "GET", "/api/me", { key: agents[5]?.key })).status, 429);
});
