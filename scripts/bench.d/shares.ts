import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "libsql";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { startFilehost } from "./filehost.ts";
import { wrkRequestsPerSecond } from "./load.ts";

const FEW_SHARES = 1000;
const KEEP_MS = 3 * 24 * 60 * 60 * 1000;
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Look-ups of random shares by 16 clients, in a small database and in a large one. */
export const shareLookups: Experiment = {
  cases: ["share-1k", "share-1m"],
  async prepare(bench, stack) {
    const few = await contestant(bench, stack, "share-1k", FEW_SHARES);
    return [few, await contestant(bench, stack, "share-1m", bench.manyShares)];
  },
};

async function contestant(bench: Bench, stack: AsyncDisposableStack, caseName: string, count: number): Promise<Contestant> {
  const first = await startFilehost(bench, caseName);
  await first.stop();
  const path = join(bench.dir, `${caseName}.names`);
  await writeFile(
    path,
    insertShares(join(first.dataDir, "filehost.db"), count)
      .map((name) => `${name}\n`)
      .join(""),
  );
  await bench.processes.run("sync", []);
  const host = await startFilehost(bench, caseName);
  stack.defer(() => host.stop());
  return {
    label: `${count} shares`,
    pid: host.pid,
    async measure() {
      const value = await wrkRequestsPerSecond(bench, host.url, { mode: "random", path, prefix: "/api/files/share/" });
      return [{ case: caseName, side: "ours", value }];
    },
  };
}

/** Puts checked anonymous files of 1 KB, without bytes, into a database that no server holds; their short ids. */
function insertShares(databasePath: string, count: number): string[] {
  const db = new Database(databasePath);
  try {
    const now = Date.now();
    const names = shortIds(count);
    const share = db.prepare("INSERT INTO shares (short_id, kind, name, expires_at, created_at) VALUES (?, 'file', ?, ?, ?)");
    const file = db.prepare(
      `INSERT INTO files (id, short_id, quota_owner, name, size_bytes, content_type, sha256, blob_key, blob_state, scan_status, scan_coverage, scanned_at, created_at)
       VALUES (?, ?, 'ip:127.0.0.1', ?, 1024, 'text/plain', ?, ?, 'stored', 'clean', 'whole', ?, ?)`,
    );
    db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN");
    names.forEach((name, n) => {
      const title = `note number ${n}.txt`;
      const hex = n.toString(16).padStart(8, "0");
      share.run(name, title, now + KEEP_MS, now);
      file.run(`${name}${name.split("").reverse().join("")}`, name, title, hex.repeat(8), hex.repeat(4), now, now);
    });
    db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return names;
  } finally {
    db.close();
  }
}

/** Names in no order, as the server would make them, but the same each time and each once. */
function shortIds(count: number): string[] {
  const names = 58n ** 8n;
  const stride = 76_891_273_211_887n;
  return Array.from({ length: count }, (_, index) => {
    let rest = ((BigInt(index) + 1n) * stride) % names;
    let name = "";
    for (let digit = 0; digit < 8; digit++) {
      name += BASE58.charAt(Number(rest % 58n));
      rest /= 58n;
    }
    return name;
  });
}
