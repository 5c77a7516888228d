import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { deleteFile, type Filehost, makeOwnerKey, putFile, readUpload, signDownload, startFilehost, waitUntilDone } from "./filehost.ts";
import { randomBytes, writeRandomFile } from "./files.ts";
import { curlDownload, curlUpload, megabytesPerSecond, wrkRequestsPerSecond } from "./load.ts";
import { startNginx } from "./nginx.ts";
import { startBareServer } from "./runtime.ts";
import type { Side } from "./samples.ts";

const LABELS: Readonly<Record<Side, string>> = { ours: "ours", runtime: "bare Bun", peer: "nginx" };
const SMALL_FILES = 64;
const MB = 1024 * 1024;

/** Measures a large file downloaded by one client from its signed URL. */
export function largeDownload(caseName: string, options: { owned: boolean }): Experiment {
  return {
    cases: [caseName],
    async prepare(bench, stack) {
      const source = join(bench.dir, "large");
      await writeRandomFile(source, bench.bigBytes);
      const nginx = await startNginx(bench, stack);
      const bare = await startBareServer(bench, stack);
      for (const { folder } of [nginx, bare]) await bench.processes.run("cp", [source, join(folder, "large")]);
      const { host, key } = await startOurs(bench, stack, caseName, options);
      const headers = ["Accept: application/json", ...(key === undefined ? [] : [`Authorization: Bearer ${key}`])];
      const { body } = await curlUpload(bench, source, `${host.url}/`, headers);
      const file = readUpload(body);
      await waitUntilDone(host, file);
      const url = await signDownload(host, file.id, key);
      await bench.processes.run("sync", []);
      const measure = (side: Side, from: string) => async () => {
        const seconds = await curlDownload(bench, from, bench.bigBytes);
        return [{ case: caseName, side, value: megabytesPerSecond(bench.bigBytes, seconds) }];
      };
      return [
        { label: "ours", pid: host.pid, measure: measure("ours", url) },
        { label: "bare Bun", measure: measure("runtime", `${bare.url}/large`) },
        { label: "nginx", measure: measure("peer", `${nginx.url}/large`) },
      ];
    },
  };
}

const SENT = "download-1g-sent";

/** Measures the first download of a large file that was just sent. */
export const downloadOfSent: Experiment = {
  cases: [SENT],
  async prepare(bench, stack) {
    const source = join(bench.dir, "large");
    await writeRandomFile(source, bench.bigBytes);
    const bare = await startBareServer(bench, stack);
    const { host } = await startOurs(bench, stack, SENT, { owned: false });
    const download = async (side: Side, url: string) => {
      const seconds = await curlDownload(bench, url, bench.bigBytes);
      return [{ case: SENT, side, value: megabytesPerSecond(bench.bigBytes, seconds) }];
    };
    return [
      {
        label: "ours",
        pid: host.pid,
        async measure() {
          const file = readUpload((await curlUpload(bench, source, `${host.url}/`, ["Accept: application/json"])).body);
          await waitUntilDone(host, file);
          const readings = await download("ours", await signDownload(host, file.id));
          await deleteFile(host, file);
          return readings;
        },
      },
      {
        label: "bare Bun",
        async measure() {
          await curlUpload(bench, source, `${bare.url}/sent`);
          const readings = await download("runtime", `${bare.url}/sent`);
          await rm(join(bare.folder, "sent"));
          return readings;
        },
      },
    ];
  },
};

/** Measures small files downloaded by 16 clients in a loop. */
export function smallDownloads(caseName: string, options: { owned: boolean; sizeBytes: number; unit: "MB/s" | "requests/s" }): Experiment {
  return {
    cases: [caseName],
    async prepare(bench, stack) {
      const nginx = await startNginx(bench, stack);
      const bare = await startBareServer(bench, stack);
      const { host, key } = await startOurs(bench, stack, caseName, options);
      const ours: string[] = [];
      const theirs: string[] = [];
      for (let n = 0; n < SMALL_FILES; n++) {
        const bytes = randomBytes(options.sizeBytes);
        for (const { folder } of [nginx, bare]) await writeFile(join(folder, `small-${n}`), bytes);
        theirs.push(`/small-${n}`);
        const file = await putFile(host, `small-${n}`, bytes, key);
        await waitUntilDone(host, file);
        const signed = new URL(await signDownload(host, file.id, key));
        ours.push(signed.pathname + signed.search);
      }
      await bench.processes.run("sync", []);
      const contestant = async (side: Side, url: string, paths: readonly string[], pid?: number): Promise<Contestant> => {
        const path = join(bench.dir, `targets-${side}`);
        await writeFile(path, `${paths.join("\n")}\n`);
        return {
          label: LABELS[side],
          pid,
          async measure() {
            const perSecond = await wrkRequestsPerSecond(bench, url, { mode: "rotate", path });
            return [{ case: caseName, side, value: options.unit === "MB/s" ? (perSecond * options.sizeBytes) / MB : perSecond }];
          },
        };
      };
      return [
        await contestant("ours", host.url, ours, host.pid),
        await contestant("runtime", bare.url, theirs),
        await contestant("peer", nginx.url, theirs),
      ];
    },
  };
}

async function startOurs(
  bench: Bench,
  stack: AsyncDisposableStack,
  dataName: string,
  options: { owned: boolean },
): Promise<{ host: Filehost; key: string | undefined }> {
  const host = await startFilehost(bench, dataName);
  stack.defer(() => host.stop());
  return { host, key: options.owned ? await makeOwnerKey(bench, host) : undefined };
}
