import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { longSkipped } from "../support/long.ts";
import type { TestServer } from "../support/server.ts";
import { addAccount } from "./support/accounts.ts";
import { call, upload } from "./support/api.ts";
import { type ByteRoute, sendMalformed } from "./support/malformed-requests.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { ask, tokenOf } from "./support/requests.ts";

/** Requests of each route, and of each when all are sent. */
const [FEW, MANY] = [60, 3000];

describe("malformed requests of every route that takes bytes never end the server or get a 500", () => {
  let server: TestServer;
  let routes: readonly ByteRoute[];
  before(async () => {
    server = await startPlainServer();
    const { key } = await addAccount(server, { tier: "pro" });
    const owner = { Authorization: `Bearer ${key}` };
    const token = tokenOf(await ask(server, key));
    const { body } = await call<{ data: { uploadUrl: string } }>(server, "POST", "/api/files/upload-delegations", {
      key,
      json: { name: "b.txt" },
    });
    const { shortId } = await upload(server, { bytes: "x", fields: { openShare: "true" } }, { key });
    routes = [
      { method: "PUT", path: "/a.txt", kind: "bytes" },
      { method: "PUT", path: "/a/b.txt", kind: "bytes", headers: owner },
      { method: "POST", path: "/", kind: "form" },
      { method: "POST", path: "/share-target", kind: "form" },
      { method: "POST", path: `/r/${token}`, kind: "form" },
      { method: "POST", path: "/api/files/upload", kind: "form" },
      { method: "POST", path: "/api/files/upload", kind: "form", headers: owner },
      { method: "POST", path: "/api/files/batch", kind: "form", headers: owner },
      { method: "PUT", path: "/up/x/1", kind: "bytes" },
      { method: "PUT", path: new URL(body.data.uploadUrl).pathname, kind: "bytes" },
      { method: "POST", path: "/api/files/multipart/init", kind: "json" },
      { method: "POST", path: "/api/files/multipart/complete", kind: "json" },
      { method: "POST", path: "/api/files/remote-upload", kind: "json", headers: owner },
      { method: "POST", path: "/api/files/upload-delegations", kind: "json", headers: owner },
      { method: "POST", path: "/mcp", kind: "json", headers: owner },
      { method: "POST", path: "/mcp/guest", kind: "json" },
      { method: "POST", path: `/d/${shortId}/unlock`, kind: "form" },
      { method: "POST", path: "/admin/settings", kind: "form" },
      { method: "POST", path: "/oauth2/token", kind: "json" },
    ];
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function sendAll(range: { readonly from: number; readonly count: number }): Promise<void> {
    const { pid } = server;
    let sent = 0;
    for (const route of routes) {
      const { statuses, failed } = await sendMalformed(server, route, range);
      sent += range.count;
      assert.deepEqual(failed, [], `${route.method} ${route.path}: ${JSON.stringify(statuses)}`);
      assert.equal((await fetch(`${server.url}/health`)).status, 200, `${route.method} ${route.path}`);
    }
    assert.equal(server.pid, pid);
    const errors = server.logs().filter(({ level }) => level === "error");
    assert.deepEqual(errors, [], `of ${sent} requests`);
  }

  test("a few of each", () => sendAll({ from: 0, count: FEW }));
  test("many of each", { skip: longSkipped }, () => sendAll({ from: FEW, count: MANY }));
});
