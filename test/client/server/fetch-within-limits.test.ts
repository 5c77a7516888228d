import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { createRemoteApi } from "../../../src/client/server/remote-api.ts";
import { createRequestRetry, withoutRetry } from "../../../src/client/server/retry.ts";
import { startOrigin } from "../../support/origin-server.ts";

/** What is not tested does not end. */
const LONG = { headersMs: 60_000, idleMs: 60_000, bodyMs: 60_000 };

/** client, "Answers of the server". */
for (const [title, limits, respond, message] of [
  ["does not come", { headersMs: 200 }, () => undefined, /does not respond/],
  ["stops", { idleMs: 200 }, (response: ServerResponse) => void response.write("{"), /stopped in the middle/],
  ["trickles without an end", { bodyMs: 400 }, trickle, /takes too long/],
  ["fills the memory", {}, pour, /too large/],
  ["breaks", {}, (response: ServerResponse) => void response.write("{", () => response.destroy()), /connection/],
] as const)
  test(`a response that ${title} is an error`, async () => {
    await using server = await startOrigin({
      "/api/agent/capabilities": (_, response) => void response.end(JSON.stringify({ service: "filehost", siteUrl: server.url })),
      "/api/me": (_, response) => respond(response),
    });
    const api = createRemoteApi({ url: server.url, key: () => "bc_key", account: () => "", limits: { ...LONG, ...limits } });
    await assert.rejects(api.call("getMe", {}), (error) => {
      assert.ok(error instanceof Error && "code" in error);
      assert.equal(error.code, "UNAVAILABLE");
      assert.match(error.message, message);
      return true;
    });
  });

test("a response that arrives too slowly is not requested repeatedly", async () => {
  const limits = { ...LONG };
  await using server = await startOrigin({
    "/api/agent/capabilities": (_, response) => void response.end(JSON.stringify({ service: "filehost", siteUrl: server.url })),
    "/api/me": (_, response) => trickle(response),
  });
  const api = createRemoteApi({ url: server.url, key: () => "bc_key", account: () => "", limits });
  await api.discoverServer();
  limits.bodyMs = 400;
  const retry = createRequestRetry(new AbortController().signal);
  await assert.rejects(retry(({ signal }) => api.call("getMe", {}, { signal })).catch((error) => Promise.reject(withoutRetry(error))));
  assert.equal(server.requests.filter(({ path }) => path === "/api/me").length, 1);
});

test("a search for a server that does not respond ends", async () => {
  await using server = await startOrigin({ "/api/agent/capabilities": trickle_ });
  const api = createRemoteApi({ url: server.url, key: () => undefined, account: () => "", limits: { ...LONG, bodyMs: 400 } });
  await assert.rejects(api.discoverServer(), { code: "UNAVAILABLE" });
});

function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

function trickle_(_: unknown, response: ServerResponse): void {
  trickle(response);
}

function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, " ");
  const next = (): void => void (response.destroyed || response.write(chunk, next));
  next();
}

/** client, "Answers of the server". */
test("a server that limits requests is asked again after the time that it names, with a note", async () => {
  const refusals = { capabilities: 1, me: 1 };
  const refuse = (response: ServerResponse, seconds: string): void =>
    void response
      .writeHead(429, { "Retry-After": seconds, "Content-Type": "application/json" })
      .end(JSON.stringify({ success: false, error: "Too many requests.", errorCode: "RATE_LIMITED" }));
  await using server = await startOrigin({
    "/api/agent/capabilities": (_, response) => {
      if (refusals.capabilities-- > 0) refuse(response, "1");
      else response.end(JSON.stringify({ service: "filehost", siteUrl: server.url }));
    },
    "/api/me": (_, response) => refuse(response, refusals.me-- > 0 ? "0" : "3600"),
  });
  const reasons: string[] = [];
  const common = { url: server.url, key: () => "bc_key", account: () => "" };
  const api = createRemoteApi({ ...common, onWait: (reason) => reasons.push(reason) });
  await api.discoverServer();
  assert.deepEqual(reasons, ["The server has had too many requests from this address. Waiting 1 second.", ""]);
  await assert.rejects(api.call("getMe", {}), { code: "RATE_LIMITED", retryAfterSeconds: 3600 });
  const asked = (): number => server.requests.filter(({ path }) => path === "/api/me").length;
  assert.deepEqual([asked(), reasons.length], [2, 4]);
  // Callers with a signal repeat what they send.
  refusals.me = 1;
  await assert.rejects(api.call("getMe", {}, { signal: new AbortController().signal }), { code: "RATE_LIMITED", retryAfterSeconds: 0 });
  refusals.me = 1;
  await assert.rejects(createRemoteApi(common).call("getMe", {}), { code: "RATE_LIMITED", retryAfterSeconds: 0 });
  assert.equal(asked(), 4);
});
