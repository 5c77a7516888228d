import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { startFilehost } from "./filehost.ts";
import { wrkRequestsPerSecond } from "./load.ts";
import { insertShares } from "./rows.ts";
import { type BareServer, startBareServer } from "./runtime.ts";

const FEW_SHARES = 1000;
const METADATA = "/api/files/share/";

/** Measures look-ups of random shares by 16 clients, in a small and in a large database. */
export const shareLookups: Experiment = {
  cases: ["share-1k", "share-1m"],
  async prepare(bench, stack) {
    const bare = await startBareServer(bench, stack);
    return [
      await contestant(bench, stack, "share-1k", FEW_SHARES),
      await contestant(bench, stack, "share-1m", bench.manyShares),
      bareMetadata(bench, bare, ["share-1k", "share-1m"]),
    ];
  },
};

/** Measures pages of random shares of one file, which the bar compares with the metadata of the same shares. */
export const sharePages: Experiment = {
  cases: ["share-page"],
  async prepare(bench, stack) {
    const bare = await startBareServer(bench, stack);
    return [await contestant(bench, stack, "share-page", FEW_SHARES, "/d/"), bareMetadata(bench, bare, ["share-page"])];
  },
};

/** The bare server's answers with JSON, which it does not look up, beside the cases. */
function bareMetadata(bench: Bench, bare: BareServer, cases: readonly string[]): Contestant {
  const path = join(bench.dir, "bare.names");
  return {
    label: "bare Bun",
    async measure() {
      await writeFile(path, "7kXq9Zab\n");
      const value = await wrkRequestsPerSecond(bench, bare.url, { mode: "random", path, prefix: "/share/" });
      return cases.map((name) => ({ case: name, side: "runtime", value }));
    },
  };
}

async function contestant(
  bench: Bench,
  stack: AsyncDisposableStack,
  caseName: string,
  count: number,
  prefix = METADATA,
): Promise<Contestant> {
  const first = await startFilehost(bench, caseName);
  await first.stop();
  const path = join(bench.dir, `${caseName}.names`);
  await writeFile(
    path,
    insertShares(first.dataDir, { count })
      .map(({ shortId }) => `${shortId}\n`)
      .join(""),
  );
  await bench.processes.run("sync", []);
  const host = await startFilehost(bench, caseName);
  stack.defer(() => host.stop());
  return {
    label: `${count} shares`,
    pid: host.pid,
    async measure() {
      const value = await wrkRequestsPerSecond(bench, host.url, { mode: "random", path, prefix });
      return [{ case: caseName, side: "ours", value }];
    },
  };
}
