import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Peer } from "../../src/runtime/runtime.ts";
import { createHttp } from "../../src/server.ts";
import { openProcesses } from "../jobs/support.ts";

const PEER: Peer = { address: "192.0.2.1", whenSent: async () => true, isGone: () => false, setIdleTimeout: () => {} };

/** addresses, "Health". */
test("a server is ready until its file store is missing or the server shuts down", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  const stop = new AbortController();
  const http = createHttp(ctx, { stop: stop.signal });
  const ask = async (path: string, method = "GET") => {
    const response = await http(new Request(`http://files.example${path}`, { method }), PEER);
    return { status: response.status, body: method === "HEAD" ? undefined : await response.json() };
  };
  assert.deepEqual(await ask("/ready"), { status: 200, body: { status: "ready" } });
  assert.equal((await ask("/ready", "HEAD")).status, 200);
  const blobs = join(processes.dataDir, "blobs");
  await rename(blobs, `${blobs}-moved`);
  assert.deepEqual(await ask("/ready"), { status: 503, body: { status: "unready", reason: "The file store is not available." } });
  await rename(`${blobs}-moved`, blobs);
  assert.equal((await ask("/ready")).status, 200);
  stop.abort();
  assert.deepEqual(await ask("/ready"), { status: 503, body: { status: "unready", reason: "The server is stopping." } });
  assert.equal((await ask("/ready", "HEAD")).status, 503);
  assert.equal((await ask("/health/live")).status, 200);
});
