import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "libsql";
import { type Bench, type Experiment, progress } from "./bench.ts";
import { type Filehost, makeOwnerKey, startFilehost } from "./filehost.ts";
import { askSteadily, get, quantile } from "./latency.ts";
import { peakRssMb } from "./processes.ts";
import { findOwnerId, type InsertedFile, insertShares, withDatabase } from "./rows.ts";

const SECONDS = "expiry-100k";
const P99 = "expiry-100k-p99";
const BYTES = 64;
const LASTING = 1000;
/** The interval of the server's cleanup. */
const CLEANUP_EVERY_MS = 30_000;
const IDLE_MS = 8_000;
const WARM_UP_MS = 2_000;
const START_MS = 4_000;
/** A placeholder of the expiry, which is set after the files are made. */
const MARK_MS = 4_000_000_000_000;
const ASK_EVERY_MS = 5;
const LONGEST_MS = 300_000;

/** Measures the time in which the bytes of many files that expire together are removed, and the latency of other requests meanwhile. */
export const expiry: Experiment = {
  cases: [SECONDS, P99],
  mostRuns: 1,
  async prepare(bench) {
    return [{ label: "ours", measure: () => measureExpiry(bench) }];
  },
};

async function measureExpiry(bench: Bench) {
  const first = await startFilehost(bench, "expiry");
  await makeOwnerKey(bench, first);
  await first.stop();
  const lasting = insertShares(first.dataDir, { count: LASTING });
  const due = insertShares(first.dataDir, {
    ...{ count: bench.manyFiles, ownerId: findOwnerId(first.dataDir) },
    ...{ sizeBytes: BYTES, after: LASTING, expiresAtMs: MARK_MS },
  });
  writeBlobs(first.dataDir, due);
  await bench.processes.run("sync", []);
  const startMs = nextCleanupMs(Date.now() + IDLE_MS + START_MS);
  withDatabase(first.dataDir, (db) => db.prepare("UPDATE shares SET expires_at = ? WHERE expires_at = ?").run(startMs - 1, MARK_MS));
  const host = await startFilehost(bench, "expiry");
  try {
    return await follow(bench, host, { lasting, startMs });
  } finally {
    await host.stop();
  }
}

const nextCleanupMs = (afterMs: number): number => Math.ceil(afterMs / CLEANUP_EVERY_MS) * CLEANUP_EVERY_MS;

async function follow(bench: Bench, host: Filehost, { lasting, startMs }: { lasting: readonly InsertedFile[]; startMs: number }) {
  let turn = 0;
  const ask = () => get(`${host.url}/api/files/share/${lasting[turn++ % LASTING]?.shortId}`);
  await sleep(Math.max(0, startMs - IDLE_MS - Date.now()));
  await askSteadily(ASK_EVERY_MS, ask, () => Date.now() >= startMs - IDLE_MS + WARM_UP_MS);
  const idle = await askSteadily(ASK_EVERY_MS, ask, () => Date.now() >= startMs - 200);
  const db = new Database(join(host.dataDir, "filehost.db"), { readonly: true });
  try {
    // Both queries use an index, so that polling costs little.
    const left = db.prepare(
      "SELECT 1 FROM shares WHERE status = 'active' AND expires_at < ? UNION ALL SELECT 1 FROM files WHERE remove_at IS NOT NULL LIMIT 1",
    );
    await sleep(Math.max(0, startMs - Date.now()));
    let endMs: number | undefined;
    const looking = setInterval(() => {
      if (Date.now() - startMs > LONGEST_MS) endMs = Number.NaN;
      else if (left.get(startMs) === undefined) endMs = Date.now();
    }, 100);
    const busy = await askSteadily(ASK_EVERY_MS, ask, () => endMs !== undefined).finally(() => clearInterval(looking));
    if (endMs === undefined || Number.isNaN(endMs)) throw new Error("the files were never done with");
    progress(`    idle: ${describe(idle)}; meanwhile: ${describe(busy)}`);
    for (const name of [SECONDS, P99]) bench.samples.addPeak(name, await peakRssMb(host.pid));
    return [
      { case: SECONDS, side: "ours" as const, value: (endMs - startMs) / 1000 },
      { case: P99, side: "ours" as const, value: quantile(busy, 0.99) },
      { case: P99, side: "peer" as const, value: quantile(idle, 0.99) },
    ];
  } finally {
    db.close();
  }
}

const describe = (tookMs: readonly number[]): string =>
  `median ${quantile(tookMs, 0.5).toFixed(1)} ms, p99 ${quantile(tookMs, 0.99).toFixed(1)} ms, longest ${Math.max(...tookMs).toFixed(0)} ms`;

/** Writes each file to its path in the store. Synchronous writes are several times as fast. */
function writeBlobs(dataDir: string, shares: readonly InsertedFile[]): void {
  const made = new Set<string>();
  for (const { blobKey } of shares) {
    const folder = join(dataDir, "blobs", blobKey.slice(0, 2), blobKey.slice(2, 4));
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    writeFileSync(join(folder, blobKey), blobKey.repeat(BYTES / blobKey.length));
  }
}
