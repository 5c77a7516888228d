import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, authorize, call, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { storedFiles, withDatabase } from "../support/servers/state.ts";
import { someBytes } from "../support/uploads/multipart.ts";

const SIZE = 200_000;

/** downloads, "Limited shares"; sharing, "Publish fields". */
describe("a limited share", () => {
  let server: TestServer;
  const bytes = someBytes(SIZE);
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const once = (): Promise<Upload> => upload(server, { bytes, fields: { once: "true" } });
  // Much larger than the socket buffers, whose bytes count as sent: the limit must allow the rest after a broken transfer.
  const large = someBytes(32 * 1024 ** 2);
  const largeOnce = async (): Promise<Upload> => {
    const { body } = await call<{ data: Upload }>(server, "PUT", "/large.bin?once=true", {
      body: large,
      headers: { Accept: "application/json" },
    });
    return body.data;
  };
  const fetchStatus = async (url: string, headers: Record<string, string> = {}): Promise<number> => {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  const eventsOf = (file: Upload) =>
    withDatabase(server, async (db) =>
      (await db.selectFrom("events").select("type").where("file_id", "=", file.id).execute()).map((event) => event.type).sort(),
    );

  test("authorizes exactly three of fifty concurrent requests with maxDownloads 3", async () => {
    const file = await upload(server, { bytes, fields: { maxDownloads: "3" } });
    const responses = await Promise.all(Array.from({ length: 50 }, () => authorize(server, file.id)));
    const granted = responses.filter((response) => response.status === 200);
    assert.equal(granted.length, 3);
    for (const response of responses) if (response.status !== 200) assertRefused(response, { status: 404, code: "NOT_FOUND" });
    assertRefused(await askShare(server, file.shortId), { status: 404, code: "NOT_FOUND" });
    assert.equal((await fetch(server.url + file.sharePath)).status, 404);
    const urls = granted.map((response) => response.body.url ?? "");
    assert.equal(new Set(urls).size, 3);
    assert.deepEqual(await Promise.all(urls.map((url) => fetchStatus(url))), [200, 200, 200]);
    assert.deepEqual(await Promise.all(urls.map((url) => fetchStatus(url))), [404, 404, 404]);
    await until("all downloads are recorded", async () => (await eventsOf(file)).filter((type) => type === "file.downloaded").length === 3);
    assert.deepEqual(await eventsOf(file), [
      ...Array<string>(3).fill("file.authorized"),
      ...Array<string>(3).fill("file.downloaded"),
      "file.expired",
      "file.ready",
    ]);
  });

  test("prefers once to maxDownloads", async () => {
    const file = await upload(server, { bytes, fields: { once: "true", maxDownloads: "5" } });
    await signedUrl(server, file.id);
    assert.equal((await authorize(server, file.id)).status, 404);
  });

  test("stays open until the last allowed download", async () => {
    const file = await upload(server, { bytes, fields: { maxDownloads: "3" } });
    for (let i = 0; i < 2; i += 1) {
      await signedUrl(server, file.id);
      await getShare(server, file.shortId);
    }
    await signedUrl(server, file.id);
    assert.equal((await askShare(server, file.shortId)).status, 404);
  });

  test("allows one complete transfer per signed URL", async () => {
    const file = await once();
    const url = await signedUrl(server, file.id);
    const response = await fetch(url);
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
    const again: readonly Record<string, string>[] = [{}, { Range: "bytes=0-0" }, { Range: "bytes=-10" }];
    for (const headers of again) assert.equal(await fetchStatus(url, headers), 404, JSON.stringify(headers));
    assert.equal((await fetch(url, { method: "HEAD" })).status, 404);
  });

  test("sends one of several concurrent transfers of one signed URL", async () => {
    const file = await once();
    const url = await signedUrl(server, file.id);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => fetchStatus(url)));
    assert.deepEqual(statuses.sort(), [200, ...Array<number>(19).fill(404)]);
  });

  test("sends a file of a few bytes once", async () => {
    for (const content of ["x", "xy", "xyz"]) {
      const { id } = await upload(server, { bytes: content, fields: { once: "true" } });
      const url = await signedUrl(server, id);
      const statuses = await Promise.all(Array.from({ length: 5 }, () => fetchStatus(url)));
      assert.equal(statuses.filter((status) => status === 200).length, 1, content);
      assert.equal(await fetchStatus(url, { Range: "bytes=0-0" }), 404, content);
    }
  });

  test("counts ranges as one download until all bytes are sent", async () => {
    const file = await once();
    const url = await signedUrl(server, file.id);
    const half = SIZE / 2;
    assert.equal(await fetchStatus(url, { Range: `bytes=0-${half - 1}` }), 206);
    assert.equal(await fetchStatus(url, { Range: `bytes=${half}-` }), 206);
    assert.equal(await fetchStatus(url, { Range: "bytes=0-0" }), 404);
    assert.equal(await fetchStatus(url), 404);
  });

  test("allows a broken transfer to be resumed", async () => {
    const url = new URL(await signedUrl(server, (await largeOnce()).id));
    const broken = new AbortController();
    const response = await fetch(url, { signal: broken.signal });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    assert.ok(value && value.length < large.length);
    broken.abort();
    const rest = await until("the rest can be downloaded", async () => {
      const again = await fetch(url, { headers: { Range: `bytes=${value.length}-` } });
      const body = new Uint8Array(await again.arrayBuffer());
      return again.status === 206 ? body : undefined;
    });
    assert.ok(Buffer.concat([value, rest]).equals(large));
    assert.equal(await fetchStatus(url.href), 404);
  });

  test("sends at most one and a half times the bytes, in any ranges", async () => {
    const file = await once();
    const url = await signedUrl(server, file.id);
    const range = { Range: `bytes=0-${SIZE / 4 - 1}` };
    const statuses: number[] = [];
    for (let i = 0; i < 8; i += 1) statuses.push(await fetchStatus(url, range));
    assert.deepEqual(statuses, [...Array<number>(6).fill(206), 404, 404]);
  });

  test("does not count views, HEAD requests, prefetches and invalid ranges", async () => {
    const file = await once();
    for (let i = 0; i < 3; i += 1) {
      assert.equal((await fetch(server.url + file.sharePath)).status, 200);
      await getShare(server, file.shortId);
      assert.equal((await fetch(file.url, { method: "HEAD" })).status, 200);
      assert.equal((await fetch(file.url, { headers: { "Sec-Purpose": "prefetch" } })).status, 403);
      assertRefused(await authorize(server, file.id, { headers: { "Sec-Purpose": "prefetch;prerender" } }), {
        status: 403,
        code: "FORBIDDEN",
      });
    }
    const url = await signedUrl(server, file.id);
    for (let i = 0; i < 3; i += 1) {
      const head = await fetch(url, { method: "HEAD" });
      assert.equal(head.status, 200);
      assert.equal(head.headers.get("content-length"), String(SIZE));
    }
    assert.equal(await fetchStatus(url, { Range: "bytes=999999-" }), 416);
    assert.equal(await fetchStatus(url), 200);
  });

  test("counts a download by the uploader's URL", async () => {
    const file = await once();
    assert.equal(await fetchStatus(file.url), 200);
    assert.equal((await authorize(server, file.id)).status, 404);
    assert.equal((await askShare(server, file.shortId)).status, 404);
    assert.equal(await fetchStatus(file.url), 404);
    const other = await once();
    await signedUrl(server, other.id);
    assert.equal(await fetchStatus(other.url), 404);
  });

  test("counts downloads by the account that owns it", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes, fields: { once: "1" } }, { key });
    assert.equal((await authorize(server, file.id, { key })).status, 200);
    assert.equal((await authorize(server, file.id, { key })).status, 404);
  });

  test("applies the limit to an empty file", async () => {
    const file = await upload(server, { bytes: "", fields: { once: "true" } });
    const url = await signedUrl(server, file.id);
    assert.equal((await authorize(server, file.id)).status, 404);
    assert.equal(await fetchStatus(url), 200);
  });

  test("does not count an aborted transfer as a download", async () => {
    const file = await largeOnce();
    const url = new URL(await signedUrl(server, file.id));
    await sendRaw(server, [`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\n\r\n`], { cutAfter: () => Promise.resolve() });
    await until("the whole file can be downloaded", async () => (await fetchStatus(url.href, { Range: "bytes=0-" })) === 206);
    await until("the download is recorded", async () => (await eventsOf(file)).includes("file.downloaded"));
  });

  test("keeps the bytes until the last signed URL expires", async () => {
    const before = await storedFiles(server);
    const file = await once();
    await signedUrl(server, file.id);
    const [blob] = (await storedFiles(server)).filter((name) => !before.includes(name));
    assert.ok(blob);
    const row = await withDatabase(server, (db) =>
      db.selectFrom("files").select(["remove_at", "status"]).where("id", "=", file.id).executeTakeFirstOrThrow(),
    );
    assert.equal(row.status, "expired");
    assert.ok(Math.abs((row.remove_at ?? 0) - Date.now() - 3_600_000) < 60_000);
  });
});
