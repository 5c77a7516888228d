import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createClamdScanner } from "../../../src/scan/clamd/clamd-scanner.ts";
import { createScannerService } from "../../../src/scan/scanner-service.ts";

/** scanning, "Self-test"; addresses, "Health". */
test("a stuck self-test delays the first health check and none of the next hundred", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filehost-stuck-"));
  const path = join(folder, "clamd.sock");
  const sockets: Socket[] = [];
  const listener = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (String(bytes).startsWith("zVERSION")) socket.end("ClamAV 1.4.3\0");
      if (String(bytes).includes("zPING")) socket.write("1: PONG\0");
    });
  }).listen(path);
  await once(listener, "listening");
  try {
    const limits = { load: async () => undefined, save: async () => undefined };
    const configured = createClamdScanner({ address: { kind: "unix", path }, storedSize: limits, idleTimeoutMs: 20_000 });
    const seen = { load: async () => true, save: async () => undefined };
    const service = await createScannerService({ wanted: "clamd", configured, find: async () => undefined, seen });
    let hasResult = false;
    void configured.state().then(() => {
      hasResult = true;
    });
    for (let n = 0; n < 100; n++) assert.equal((await service.state()).ok, false);
    assert.equal(hasResult, false, "the self-test is still running");
  } finally {
    for (const socket of sockets) socket.destroy();
    listener.close();
    await rm(folder, { recursive: true });
  }
});
