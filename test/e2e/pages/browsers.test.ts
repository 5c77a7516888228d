import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, postUpload, signedUrl, toForm, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { postInit } from "../support/uploads/multipart.ts";

const FOREIGN = "https://elsewhere.example";
const FRIEND = "https://friend.example";

/** addresses, "Other sites" and "Headers of every response"; pages, "Scripts come from the assets alone". */
describe("a request from a browser", () => {
  let server: TestServer;
  let file: Upload;
  before(async () => {
    server = await startPlainServer({ FILEHOST_ALLOWED_ORIGINS: FRIEND });
    file = await upload(server, { bytes: "x" });
  });
  after(() => server[Symbol.asyncDispose]());

  const REFUSED = { status: 403, code: "CROSS_SITE_REQUEST" };

  test("reads API responses from any origin, without the browser's credentials", async () => {
    for (const path of [`/api/files/share/${file.shortId}`, "/api/files/share/nothing0", "/api/nothing", "/api/health"]) {
      const { headers } = await call(server, "GET", path, { headers: { Origin: FOREIGN, "Sec-Fetch-Site": "cross-site" } });
      assert.equal(headers.get("access-control-allow-origin"), "*", path);
      assert.equal(headers.get("access-control-allow-credentials"), null);
      const exposed = (headers.get("access-control-expose-headers") ?? "").toLowerCase().split(/, */);
      for (const name of [
        "etag",
        "content-range",
        "retry-after",
        "ratelimit",
        "ratelimit-policy",
        "x-ratelimit-remaining",
        "x-claim-token",
        "x-deletion-token",
      ]) {
        assert.ok(exposed.includes(name), name);
      }
    }
    const download = await fetch(await signedUrl(server, file.id), { headers: { Origin: FOREIGN } });
    assert.equal(download.headers.get("access-control-allow-origin"), "*");
  });

  test("gets a CORS preflight response for every route and method", async () => {
    for (const path of ["/api/files/upload", "/api/files/multipart/init", "/up/key/1", `/api/files/share/${file.shortId}`, "/"]) {
      const response = await fetch(server.url + path, {
        method: "OPTIONS",
        headers: {
          Origin: FOREIGN,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
        },
      });
      assert.equal(response.status, 204);
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      assert.equal(response.headers.get("access-control-allow-credentials"), null);
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        assert.ok(response.headers.get("access-control-allow-methods")?.split(", ").includes(method));
      const allowed = (response.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(/, */);
      for (const name of ["authorization", "x-service-api-key", "content-type", "idempotency-key", "range"])
        assert.ok(allowed.includes(name), name);
    }
  });

  test("is refused when cross-site without a key", async () => {
    const spellings: readonly Record<string, string>[] = [
      { Origin: FOREIGN },
      { "Sec-Fetch-Site": "cross-site" },
      { Origin: "null" },
      { Origin: FOREIGN, "Sec-Fetch-Site": "cross-site" },
    ];
    for (const headers of spellings) {
      assertRefused(await postUpload(server, { bytes: "x" }, { headers }), REFUSED);
      assertRefused(await postInit(server, { fileName: "a", fileSize: 1 }, { headers }), REFUSED);
      assertRefused(await call(server, "DELETE", `/api/files/delete?fileId=${file.id}&token=${file.deletionToken}`, { headers }), REFUSED);
      for (const [method, body] of [
        ["PUT", "x"],
        ["POST", toForm({ bytes: "x" })],
      ] as const) {
        assertRefused(
          await call(server, method, method === "PUT" ? "/a.txt" : "/", { body, headers: { ...headers, Accept: "application/json" } }),
          REFUSED,
        );
      }
      const submitted = await fetch(`${server.url}${file.sharePath}/download`, {
        method: "POST",
        headers,
        redirect: "manual",
        body: new URLSearchParams({ fileId: file.id }),
      });
      assert.equal(submitted.status, 403);
    }
  });

  test("is accepted when cross-site with a key or from an allowed origin", async () => {
    const { key } = await addAccount(server);
    const cross = { "Sec-Fetch-Site": "cross-site" };
    assert.equal((await postUpload(server, { bytes: "x" }, { key, headers: { ...cross, Origin: FOREIGN } })).status, 200);
    assert.equal((await postUpload(server, { bytes: "x" }, { headers: { ...cross, Origin: FRIEND } })).status, 200);
    assertRefused(await postUpload(server, { bytes: "x" }, { headers: { ...cross, Origin: `${FRIEND}.evil.example` } }), REFUSED);
    assertRefused(await postUpload(server, { bytes: "x" }, { key: "bc_wrong", headers: { ...cross, Origin: FOREIGN } }), {
      status: 401,
      code: "UNAUTHENTICATED",
    });
  });

  test("is accepted from this server's pages, under any of its host names", async () => {
    const { port } = new URL(server.url);
    assert.equal(
      (await postUpload(server, { bytes: "x" }, { headers: { Origin: `http://localhost:${port}`, "Sec-Fetch-Site": "same-origin" } }))
        .status,
      200,
    );
    assert.equal(
      (await postUpload(server, { bytes: "x" }, { headers: { Origin: server.url, "Sec-Fetch-Site": "same-origin" } })).status,
      200,
    );
  });

  test("gets noindex and nosniff headers with every response", async () => {
    for (const path of ["/", file.sharePath, "/d/nothing0", `/api/files/share/${file.shortId}`, "/api/nothing", "/robots.txt", "/health"]) {
      for (const accept of ["text/html", "application/json"]) {
        const { headers } = await fetch(server.url + path, { headers: { Accept: accept } });
        assert.equal(headers.get("x-robots-tag"), "noindex, nofollow", path);
        assert.equal(headers.get("x-content-type-options"), "nosniff", path);
        assert.ok(headers.get("x-request-id"));
      }
    }
  });

  test("gets assets without headers that nobody reads for assets", async () => {
    const page = await (await fetch(server.url)).text();
    const asset = /"(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? assert.fail(page);
    for (const name of ["x-request-id", "access-control-expose-headers"]) {
      assert.equal((await fetch(server.url + asset)).headers.get(name), null, name);
      assert.ok((await fetch(`${server.url}/assets/nothing.js`)).headers.get(name), name);
    }
  });

  test("gets a page whose content security policy allows only this site's resources", async () => {
    for (const path of ["/", file.sharePath, "/d/nothing0"]) {
      const policy = (await fetch(server.url + path, { headers: { Accept: "text/html" } })).headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /frame-ancestors 'none'/);
      // A request must pass both policies: the first allows scripts from /assets/ of any host, the second from this site alone.
      const [first = "", second = ""] = policy.split(", ");
      assert.ok(first.includes("; script-src *:*/assets/; "), policy);
      assert.ok(first.includes("; worker-src *:*/assets/ *:*/service-worker.js; "), policy);
      assert.match(second, /^default-src 'self'; /);
      assert.doesNotMatch(policy.replaceAll("*:*/assets/", "").replace("*:*/service-worker.js", ""), /unsafe|\*/);
    }
  });
});
