import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startLibsqlServer } from "../../test/support/services/libsql-server.ts";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { type Filehost, type Overrides, putFile, startFilehost, waitUntilDone } from "./filehost.ts";
import { randomBytes } from "./files.ts";
import { wrk } from "./load.ts";
import { cpuSeconds } from "./processes.ts";
import { startStore } from "./s3-store.ts";

const FILE = "s3-metadata-file";
const ONE_NODE = "s3-metadata-1-node";
const TWO_NODES = "s3-metadata-2-nodes";
const FILES = 64;

/**
 * Measures the CPU time of a thousand share look-ups, with a local database file and with a libSQL server. Excludes the libSQL server, which is the
 * substitute of the tests, in this process.
 */
export const s3Metadata: Experiment = {
  cases: [FILE, ONE_NODE, TWO_NODES],
  async prepare(bench, stack) {
    const store = await startStore(bench);
    const contestants: Contestant[] = [];
    if (bench.options.cases.has(FILE)) {
      const host = await startFilehost(bench, FILE, (await store.createBucket()).settings);
      stack.defer(() => host.stop());
      contestants.push(await lookUps(bench, FILE, [host]));
    }
    if (![ONE_NODE, TWO_NODES].some((name) => bench.options.cases.has(name))) return contestants;
    const database = bench.stack.use(await startLibsqlServer());
    const shared: Overrides = {
      ...(await store.createBucket()).settings,
      FILEHOST_DB_URL: database.url,
      FILEHOST_DB_TOKEN: database.token,
      FILEHOST_SECRET: "the same secret on all nodes of the bench",
    };
    const first = await startFilehost(bench, "node-1", shared);
    stack.defer(() => first.stop());
    const second = await startFilehost(bench, "node-2", shared);
    stack.defer(() => second.stop());
    return [...contestants, await lookUps(bench, ONE_NODE, [first]), await lookUps(bench, TWO_NODES, [first, second])];
  },
};

/** Measures look-ups of small files' shares by 16 clients per node, on all nodes at the same time. Records the first node's memory. */
async function lookUps(bench: Bench, caseName: string, nodes: readonly [Filehost, ...Filehost[]]): Promise<Contestant> {
  const [first] = nodes;
  const path = join(bench.dir, `${caseName}.paths`);
  const paths: string[] = [];
  for (let n = 0; n < FILES; n++) {
    const file = await putFile(first, `small-${n}`, randomBytes(1024));
    await waitUntilDone(first, file);
    paths.push(`/api/files/share/${file.shortId}`);
  }
  await writeFile(path, `${paths.join("\n")}\n`);
  const cpuOfAll = async () => (await Promise.all(nodes.map(({ pid }) => cpuSeconds(pid)))).reduce((sum, one) => sum + one, 0);
  return {
    label: `${nodes.length} node${nodes.length === 1 ? "" : "s"}`,
    pid: first.pid,
    async measure() {
      const cpuBefore = await cpuOfAll();
      const loads = await Promise.all(nodes.map(({ url }) => wrk(bench, url, { mode: "rotate", path })));
      const cpu = (await cpuOfAll()) - cpuBefore;
      const requests = loads.reduce((sum, load) => sum + load.requests, 0);
      return [{ case: caseName, side: "ours", value: (cpu * 1000) / requests }];
    },
  };
}
