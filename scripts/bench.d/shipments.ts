import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Experiment } from "./bench.ts";
import { startFilehost } from "./filehost.ts";
import { wrkRequestsPerSecond } from "./load.ts";
import { insertShares } from "./rows.ts";

const PAGE = "shipment-page";
const SIZE = "shipment-page-size";
const SHIPMENTS = 10;
const FILES = 2000;

/** Measures the first view of shipments of 2,000 files: requests by 16 clients, and the compressed bytes of one. */
export const shipmentPages: Experiment = {
  cases: [PAGE, SIZE],
  async prepare(bench, stack) {
    const first = await startFilehost(bench, PAGE);
    await first.stop();
    const shortIds = [...new Set(insertShares(first.dataDir, { count: SHIPMENTS, filesEach: FILES }).map(({ shortId }) => shortId))];
    const path = join(bench.dir, `${PAGE}.names`);
    await writeFile(path, shortIds.map((shortId) => `${shortId}\n`).join(""));
    await bench.processes.run("sync", []);
    const host = await startFilehost(bench, PAGE);
    stack.defer(() => host.stop());
    return [
      {
        label: `${FILES} files`,
        pid: host.pid,
        async measure() {
          return [
            { case: PAGE, side: "ours", value: await wrkRequestsPerSecond(bench, host.url, { mode: "random", path, prefix: "/d/" }) },
            { case: SIZE, side: "ours", value: await compressedKilobytes(bench, `${host.url}/d/${shortIds[0]}`) },
          ];
        },
      },
    ];
  },
};

async function compressedKilobytes(bench: Bench, url: string): Promise<number> {
  const headers = ["-H", "Accept: text/html", "-H", "Accept-Encoding: br, gzip"];
  return Number(await bench.processes.run("curl", ["-s", "-S", "-f", "-o", "/dev/null", "-w", "%{size_download}", ...headers, url])) / 1024;
}
