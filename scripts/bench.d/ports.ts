import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningProcess } from "./processes.ts";

/** Finds a free port on loopback. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === "string") reject(new Error("no free port"));
        else resolve(address.port);
      });
    });
  });
}

/** Polls every millisecond until a response below 500. Rejects after 20 seconds, or if the process has ended. */
export async function waitUntilResponds(url: string, server: RunningProcess): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline && !server.hasEnded()) {
    const status = await fetch(url).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 599,
    );
    if (status < 500) return;
    await sleep(1);
  }
  throw new Error(`nothing responds at ${url}; its log is in the bench's folder`);
}
