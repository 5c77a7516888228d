import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRaw } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState } from "../support/servers/state.ts";

const INVALID = [
  "",
  "%00",
  "%0d%0a",
  "[]",
  "[::1",
  "::1",
  "a b",
  "a:99999",
  "a:b",
  "user@a",
  "user:pass@a",
  "a/b",
  "a?b",
  "a#b",
  "a\\b",
  "a,b",
  "xn--",
  "%",
  "a%00b",
  "\u00fc",
];
const REQUESTS = [
  "GET /",
  "GET /health",
  "PUT /x",
  "PUT /a/x",
  "PUT /up/x/1",
  "PUT /de/x",
  "POST /",
  "POST /api/files/upload",
  "POST /mcp",
  "GET /dl/x/y",
  "OPTIONS /",
];

/** connections, "The Host header" */
test("a request with an invalid Host is refused with 400 at every URL, before anything is read", async () => {
  await using server = await startPlainServer({ FILEHOST_CONTENT_URL: "http://bytes.example" });
  const before = await countStoredState(server);
  for (const host of INVALID) {
    for (const line of REQUESTS) {
      const { status, text } = await sendRaw(server, [
        Buffer.from(`${line} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`, "latin1"),
      ]);
      assert.equal(status, 400, `${line}, Host ${JSON.stringify(host)}: ${text}`);
      assert.match(text, /VALIDATION_FAILED/, `${line} ${host}`);
    }
  }
  assert.deepEqual(await countStoredState(server), before);
});

test("a request of HTTP/1.0 without Host gets a response, but stores nothing", async () => {
  await using server = await startPlainServer();
  for (const path of ["/health", "/health/live", "/ready", "/api/health", "/robots.txt", "/health?x=1"]) {
    const { status, text } = await sendRaw(server, [`GET ${path} HTTP/1.0\r\n\r\n`]);
    assert.equal(status, 200, `${path}: ${text}`);
  }
  assert.equal((await sendRaw(server, ["HEAD /health HTTP/1.0\r\n\r\n"])).status, 200);
  assert.equal((await sendRaw(server, ["PUT /a HTTP/1.0\r\nContent-Length: 1\r\n\r\na"])).status, 400);
  for (const host of ["a", "a:", "a:80", "127.0.0.1", "[::1]:8080", "A.Example.", "a_b"])
    assert.equal((await sendRaw(server, [`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`])).status, 200, host);
});
