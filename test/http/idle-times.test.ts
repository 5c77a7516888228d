import assert from "node:assert/strict";
import { test } from "node:test";
import type { Peer } from "../../src/runtime/runtime.ts";
import { createHttp } from "../../src/server.ts";
import { openProcesses } from "../jobs/support.ts";

/** connections, "Idle connections": a connection always has a timeout again after a response. */
test("sets the idle timeout of the connection with each response", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  const http = createHttp(ctx);
  const ask = async (path: string, init?: RequestInit) => {
    const times: number[] = [];
    const peer: Peer = {
      address: "192.0.2.1",
      whenSent: async () => true,
      isGone: () => false,
      setIdleTimeout: (seconds) => void times.push(seconds),
    };
    const { status } = await http(new Request(`http://files.example${path}`, init), peer);
    return { status, times };
  };
  const json = { method: "POST", headers: { "Content-Type": "application/json" } };
  assert.deepEqual(await ask("/health/live"), { status: 200, times: [65] });
  assert.deepEqual(await ask("/health/live", { method: "OPTIONS" }), { status: 204, times: [65] });
  // Waits for its turn, so silence is allowed before the body is read.
  assert.deepEqual(await ask("/a.txt", { method: "PUT", body: "x" }), { status: 200, times: [0, 0, 65] });
  assert.deepEqual(await ask("/api/files/multipart/init", { ...json, body: "{" }), { status: 400, times: [0, 65] });
  // Waits for another server.
  assert.deepEqual(await ask("/api/files/remote-upload", { ...json, body: '{"url":"http://127.0.0.1:1/"}' }), {
    status: 400,
    times: [0, 0, 65],
  });
});
