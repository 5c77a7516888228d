import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { listBodyOperations, listByteRoutes } from "../support/api/byte-routes.ts";
import { type ByteRoute, sendMalformed } from "../support/api/malformed-requests.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** Requests of each route, and of each when all are sent. */
const [FEW, MANY] = [40, 3000];
/** Requests of each operation of the API when all are sent. */
const OF_OPERATION = 200;
const LONG = { skip: longSkipped, timeout: 30 * 60_000 };

describe("the server survives malformed requests without a 500", () => {
  let server: TestServer;
  let routes: readonly ByteRoute[];
  let operations: readonly ByteRoute[];
  before(async () => {
    server = await startPlainServer();
    const { key } = await addAccount(server, { tier: "pro" });
    routes = await listByteRoutes(server, key);
    operations = listBodyOperations((await addAccount(server, { tier: "pro", isAdministrator: true })).key);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function sendAll(routes: readonly ByteRoute[], range: { readonly from: number; readonly count: number }): Promise<void> {
    for (const route of routes) {
      const { statuses, failed } = await sendMalformed(server, route, range);
      assert.deepEqual(failed, [], `${route.method} ${route.path}: ${JSON.stringify(statuses)}`);
      assert.equal((await fetch(`${server.url}/health/live`)).status, 200, `${route.method} ${route.path}`);
    }
    const errors = server.logs().filter(({ level }) => level === "error");
    assert.deepEqual(errors, [], `of ${routes.length * range.count} requests`);
  }

  test("of each byte route, a few", () => sendAll(routes, { from: 0, count: FEW }));
  test("of each byte route, many", LONG, () => sendAll(routes, { from: FEW, count: MANY }));
  test("of each operation that reads a body", LONG, () => sendAll(operations, { from: 0, count: OF_OPERATION }));
});
