import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { assertRefused, call, getShare, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const PAGE = { Accept: "text/html,application/xhtml+xml" };

/** addresses, "Paths", "Health" and "Crawlers". */
describe("methods and paths", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test("a wrong method on a known path returns 405 and lists the allowed methods", async () => {
    const wrong: readonly (readonly [string, string, string])[] = [
      ["GET", "/api/files/upload", "POST"],
      ["PUT", "/api/files/upload", "POST"],
      ["GET", "/api/files/multipart/init", "POST"],
      ["GET", "/api/files/multipart/complete", "POST"],
      ["DELETE", "/api/files/multipart/abort", "POST"],
      ["POST", "/api/files/multipart/abcdef", "GET"],
      ["POST", "/api/files/share/abcdefgh", "GET"],
      ["POST", "/api/files/download/abcdefgh", "GET"],
      ["GET", "/api/files/delete", "DELETE"],
      ["POST", "/api/files/delete", "DELETE"],
      ["POST", "/api/health", "GET"],
      ["POST", "/api/health/live", "GET"],
      ["POST", "/api/agent-openapi.json", "GET"],
      ["POST", "/dl/abc/name", "GET"],
      ["GET", "/up/abc/1", "PUT"],
      ["POST", "/d/abcdefgh", "GET"],
      ["DELETE", "/", "GET"],
      ["POST", "/x.txt", "PUT"],
      ["PATCH", "/x.txt", "PUT"],
      ["DELETE", "/x.txt", "PUT"],
      ["POST", "/d/abcdefgh/", "GET"],
    ];
    for (const [method, path, allowed] of wrong) {
      const response = await call(server, method, path);
      assertRefused(response, { status: 405, code: "METHOD_NOT_ALLOWED" });
      const allow = (response.headers.get("allow") ?? "").split(", ");
      assert.ok(allow.includes(allowed) && !allow.includes(method), `${method} ${path}: ${allow}`);
    }
  });

  test("an unknown path returns 404, as JSON to programs and as a page to browsers", async () => {
    for (const path of ["/api/nothing", "/api/files/nothing/at/all", "/api", "/nothing", "/d", "/d/a/b/c", "/favicon.ico"]) {
      assertRefused(await call(server, "GET", path), { status: 404, code: "NOT_FOUND" });
      const page = await fetch(server.url + path, { headers: PAGE });
      assert.equal(page.status, 404, path);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    }
    assertRefused(await call(server, "POST", "/api/nothing", { json: {} }), { status: 404, code: "NOT_FOUND" });
  });

  test("a link with a trailing slash shows the same page", async () => {
    const file = await upload(server, { bytes: "hello", fields: { protect: "true" } });
    const { handoffUrl } = file as unknown as { handoffUrl: string };
    for (const path of [file.sharePath, new URL(handoffUrl).pathname]) {
      const [plain, slashed] = await Promise.all([path, `${path}/`].map((each) => fetch(server.url + each, { headers: PAGE })));
      assert.deepEqual([plain?.status, slashed?.status], [200, 200], path);
      assert.equal(await slashed?.text(), await plain?.text());
      assert.equal((await fetch(`${server.url}${path}/`, { method: "HEAD" })).status, 200);
    }
    assert.equal((await fetch(`${server.url}/d/unknown1/`, { headers: PAGE })).status, 404);
  });

  test("HEAD returns the status and headers of GET without a body", async () => {
    const file = await upload(server, { bytes: "hello" });
    const same = [
      "/",
      file.sharePath,
      `/api/files/share/${file.shortId}`,
      "/robots.txt",
      "/llms.txt",
      "/api/agent-openapi.json",
      "/api/nothing",
    ];
    for (const path of ["/health", ...same]) {
      // A compressed body would not have the length of `Content-Length`.
      const headers = { "Accept-Encoding": "identity" };
      const [get, head] = await Promise.all(["GET", "HEAD"].map((method) => fetch(server.url + path, { method, headers })));
      assert.ok(get && head);
      const bytes = await get.arrayBuffer();
      assert.equal(head.status, get.status, path);
      if (same.includes(path)) assert.equal(head.headers.get("content-length"), String(bytes.byteLength), path);
      assert.equal(head.headers.get("content-type"), get.headers.get("content-type"), path);
      assert.equal((await head.arrayBuffer()).byteLength, 0);
    }
  });

  test("HEAD of the download operation does not use up a limited share", async () => {
    const file = await upload(server, { bytes: "hello", fields: { once: "true" } });
    for (let i = 0; i < 3; i += 1)
      assert.equal((await fetch(`${server.url}/api/files/download/${file.id}`, { method: "HEAD" })).status, 405);
    const other = await call(server, "PUT", `/api/files/download/${file.id}`);
    assert.equal(other.headers.get("allow"), "GET, OPTIONS");
    await getShare(server, file.shortId);
    await signedUrl(server, file.id);
  });

  test("health, liveness, robots.txt and the OpenAPI document are served at their paths", async () => {
    for (const path of ["/health", "/api/health"]) {
      const { status, body } = await call<{
        status: string;
        version: string;
        uptimeSeconds: number;
        checks: Record<string, { ok: boolean }>;
      }>(server, "GET", path);
      assert.equal(status, 200);
      assert.equal(body.status, "ok");
      assert.ok(body.version.length > 0 && Number.isInteger(body.uptimeSeconds));
      assert.deepEqual(Object.keys(body.checks).sort(), ["clock", "database", "jobs", "scanner", "storage"]);
    }
    for (const path of ["/health/live", "/api/health/live"]) assert.equal((await fetch(server.url + path)).status, 200);
    const robots = await (await fetch(`${server.url}/robots.txt`)).text();
    assert.match(robots, /^User-agent: \*\n(Disallow: \/\w+\/\n)+$/);
    const closed = [...robots.matchAll(/^Disallow: (.*)$/gm)].map(([, path = ""]) => path);
    const isClosed = (path: string): boolean => closed.some((start) => path.startsWith(start));
    for (const path of ["/", "/d/abcdefgh", "/h/ho_x", "/r/rq_x", "/u/ada", "/llms.txt", "/agent-openapi.json"])
      assert.equal(isClosed(path), false, path);
    for (const path of ["/api/files/info", "/dl/x/name", "/ar/x", "/up/x/1", "/de/x", "/delete/x/y", "/files/x", "/reset/x"])
      assert.equal(isClosed(path), true, path);
    for (const path of ["/agent-openapi.json", "/api/agent-openapi.json"]) {
      const { body } = await call<{ openapi: string; info: { version: string }; servers: { url: string }[] }>(server, "GET", path);
      assert.match(body.openapi, /^3\.1\./);
      assert.equal(body.info.version, "1.0.0");
      assert.equal(body.servers[0]?.url, `http://localhost:${new URL(server.url).port}/api`);
    }
  });
});
