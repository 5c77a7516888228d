import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Bench, Experiment } from "./bench.ts";
import { authorization, type Filehost, makeOwnerKey, startFilehost } from "./filehost.ts";
import { peakRssMb } from "./processes.ts";
import { findOwnerId, withDatabase } from "./rows.ts";

const CASE = "webhooks-1000";
const TAKES_MS = 100;
const LONGEST_MS = 120_000;
const TO_LOOPBACK = { FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" };

/** Measures the delivery of all events in the outbox at start to a slow receiver. */
export const webhooks: Experiment = {
  cases: [CASE],
  mostRuns: 3,
  async prepare(bench, stack) {
    const receiver = await startReceiver();
    stack.defer(() => receiver.stop());
    const first = await startFilehost(bench, "webhooks", TO_LOOPBACK);
    await addEndpoint(first, await makeOwnerKey(bench, first), receiver.url);
    await first.stop();
    const ownerId = findOwnerId(first.dataDir);
    let round = 0;
    return [
      { label: "ours", measure: () => deliver(bench, receiver, queueEvents(first.dataDir, { ownerId, round: round++, count: 1000 })) },
    ];
  },
};

async function deliver(bench: Bench, receiver: Receiver, ids: readonly string[]) {
  const all = receiver.waitFor(ids);
  const host = await startFilehost(bench, "webhooks", TO_LOOPBACK);
  try {
    const started = performance.now();
    await all;
    const seconds = (performance.now() - started) / 1000;
    bench.samples.addPeak(CASE, await peakRssMb(host.pid));
    return [{ case: CASE, side: "ours" as const, value: seconds }];
  } finally {
    await host.stop();
  }
}

/** Inserts events into the outbox of a stopped server. Returns their IDs. */
function queueEvents(dataDir: string, { ownerId, round, count }: { ownerId: string; round: number; count: number }): string[] {
  return withDatabase(dataDir, (db) => {
    const insert = db.prepare(
      "INSERT INTO events (id, type, file_id, short_id, owner_id, data, created_at) VALUES (?, 'file.ready', ?, 'abcd2345', ?, ?, ?)",
    );
    const ids = Array.from({ length: count }, (_, n) => `bench-${round}-${n}`);
    db.exec("BEGIN");
    for (const id of ids) {
      const data = {
        fileId: id,
        shortId: "abcd2345",
        name: "report.pdf",
        size: 4096,
        mimeType: "application/pdf",
        sharePath: "/d/abcd2345",
      };
      insert.run(id, id, ownerId, JSON.stringify(data), Date.now());
    }
    db.exec("COMMIT");
    return ids;
  });
}

async function addEndpoint(host: Filehost, key: string, url: string): Promise<void> {
  const response = await fetch(`${host.url}/api/webhooks`, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization(key) },
    body: JSON.stringify({ url, events: ["file.ready"] }),
  });
  if (!response.ok) throw new Error(`making the webhook returned ${response.status}: ${await response.text()}`);
}

interface Receiver {
  readonly url: string;
  /** Resolves when all these events were received and responded to. */
  waitFor(ids: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  let missing = new Set<string>();
  let allCame = () => {};
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => {
      response.writeHead(204).end();
      missing.delete(String(request.headers["service-webhook-id"]));
      if (missing.size === 0) allCame();
    }, TAKES_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    waitFor: (ids) =>
      new Promise((resolve, reject) => {
        missing = new Set(ids);
        const timer = setTimeout(() => reject(new Error(`${missing.size} of ${ids.length} events never came`)), LONGEST_MS);
        allCame = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
