import { join } from "node:path";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { deleteFile, putFile, readUpload, signDownload, startFilehost, waitUntilDone } from "./filehost.ts";
import { randomBytes, writeRandomFile } from "./files.ts";
import { curlDownload, curlUpload } from "./load.ts";
import { peakRssMb } from "./processes.ts";

/** Measures the time from the start of the process to its first response, with existing data. */
export const startUp: Experiment = {
  cases: ["start-up"],
  async prepare(bench) {
    const host = await startFilehost(bench, "start-up");
    for (let n = 0; n < 20; n++) await putFile(host, `file-${n}`, randomBytes(1024));
    await host.stop();
    return [
      {
        label: "ours",
        async measure() {
          const again = await startFilehost(bench, "start-up");
          await again.stop();
          return [{ case: "start-up", side: "ours", value: again.startMs }];
        },
      },
    ];
  },
};

/** Measures the peak memory of a new server for one upload and one download. It must not depend on the file's size. */
export const memory: Experiment = {
  cases: ["memory-64m", "memory-1g"],
  async prepare(bench) {
    return [await memoryOf(bench, "memory-64m", 64 * 1024 * 1024), await memoryOf(bench, "memory-1g", bench.bigBytes)];
  },
};

async function memoryOf(bench: Bench, caseName: string, sizeBytes: number): Promise<Contestant> {
  const source = join(bench.dir, `${caseName}.source`);
  await writeRandomFile(source, sizeBytes);
  return {
    label: "ours",
    async measure() {
      const host = await startFilehost(bench, caseName);
      const { body } = await curlUpload(bench, source, `${host.url}/`, ["Accept: application/json"]);
      const file = readUpload(body);
      await waitUntilDone(host, file);
      await curlDownload(bench, await signDownload(host, file.id), sizeBytes);
      await deleteFile(host, file);
      const value = await peakRssMb(host.pid);
      await host.stop();
      return [{ case: caseName, side: "ours", value }];
    },
  };
}
