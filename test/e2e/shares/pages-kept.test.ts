import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { authorize, clientOf, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** pages, "Pages show the present": a page that was kept for others is never outdated. */
describe("the page of a share that many people open", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const open = async (shortId: string, headers: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(`${server.url}/d/${shortId}`, { headers });
    return await response.text();
  };

  test("shows each change with the next request", async () => {
    const file = await upload(server, { name: "a.bin", bytes: "bytes" });
    const client = clientOf(server);
    const change = (settings: object) =>
      client.call("updateShareSettings", { fileId: file.id, claimToken: file.claimToken ?? "", ...settings });
    assert.equal(await open(file.shortId), await open(file.shortId));
    await change({ title: "First title" });
    assert.match(await open(file.shortId), /First title/);
    await change({ title: "Second title" });
    const second = await open(file.shortId);
    assert.ok(second.includes("Second title") && !second.includes("First title"));
    assert.match(await open(file.shortId, { "Accept-Language": "de" }), /<html lang="de"/);
    await change({ maxDownloads: 3 });
    assert.match(await open(file.shortId), /3\sdownloads left/);
    assert.equal((await authorize(server, file.id)).status, 200);
    assert.match(await open(file.shortId), /2\sdownloads left/);
    await change({ protect: true });
    const locked = await open(file.shortId);
    assert.ok(locked.includes("unlockCode") && !locked.includes("Second title"));
  });

  test("shows the remaining time, also shortly before its end", async () => {
    const file = await upload(server, { name: "b.bin", bytes: "bytes" });
    const expireIn = (ms: number) =>
      withDatabase(server, (db) =>
        db
          .updateTable("shares")
          .set({ expires_at: Date.now() + ms })
          .where("short_id", "=", file.shortId)
          .execute(),
      );
    for (const [minutes, text] of [
      [60 * 24 * 3, /in 3\sdays/],
      [60 * 30, /in 30\shours|in 1\sday|tomorrow/],
      [60 * 5, /in 5\shours/],
      [30, /in 30\sminutes/],
      [2, /in 2\sminutes|in 1\d\d\sseconds/],
    ] as const) {
      await expireIn(minutes * 60_000 + 900);
      assert.match(await open(file.shortId), text);
    }
    await expireIn(-1);
    assert.equal((await fetch(`${server.url}/d/${file.shortId}`)).status, 404);
  });

  test("has the same length for HEAD, and another for each encoding", async () => {
    const file = await upload(server, { name: "c.bin", bytes: "bytes" });
    for (const encoding of ["br", "gzip", "identity"]) {
      const headers = { "Accept-Encoding": encoding };
      const page = await fetch(`${server.url}/d/${file.shortId}`, { headers, decompress: false } as RequestInit);
      const body = await page.arrayBuffer();
      const head = await fetch(`${server.url}/d/${file.shortId}`, { method: "HEAD", headers });
      assert.equal(head.headers.get("content-length"), String(body.byteLength), encoding);
      assert.equal(head.headers.get("content-encoding"), encoding === "identity" ? null : encoding);
    }
  });
});
