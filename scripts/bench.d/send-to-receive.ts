import { join } from "node:path";
import { formatClamdAddress } from "../../src/scan/clamd/address.ts";
import { clamdMissing, startClamd } from "../../test/support/services/clamd.ts";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { deleteFile, type Filehost, readUpload, signDownload, startFilehost, waitUntilDone } from "./filehost.ts";
import { writeRandomFile } from "./files.ts";
import { curlDownload, curlUpload } from "./load.ts";

const EARLY = "send-to-receive";
const LATE = "send-to-receive-late";

/** The rate of the sender's connection, about a gigabit a second. */
const SENDER_RATE = "100M";

/**
 * Measures what two people wait for, with a real clamd: from the sender's first byte of 1 GB to the recipient's last, with a scan while the bytes
 * arrive, and with a scan after the upload.
 */
export const sendToReceive: Experiment = {
  cases: [EARLY, LATE],
  mostRuns: 3,
  missing: clamdMissing,
  async prepare(bench, stack) {
    const clamd = stack.use(await startClamd());
    const source = join(bench.dir, "sent");
    const contestants: Contestant[] = [];
    for (const [name, early] of [
      [EARLY, "on"],
      [LATE, "off"],
    ] as const) {
      const scanner = { FILEHOST_SCANNER: "clamd", FILEHOST_CLAMD: formatClamdAddress(clamd.unix), FILEHOST_SCAN_EARLY: early };
      const host = await startFilehost(bench, name, scanner);
      stack.defer(() => host.stop());
      contestants.push({
        label: name,
        pid: host.pid,
        async measure() {
          // A new file each time, because clamd remembers what it found clean.
          await writeRandomFile(source, bench.bigBytes);
          return [{ case: name, side: "ours", value: await sendAndReceive(bench, host, source) }];
        },
      });
    }
    return contestants;
  },
};

/** Resolves to the seconds from the start of the upload to the end of the download. */
async function sendAndReceive(bench: Bench, host: Filehost, source: string): Promise<number> {
  const started = performance.now();
  const { body } = await curlUpload(bench, source, `${host.url}/`, ["Accept: application/json"], SENDER_RATE);
  const file = readUpload(body);
  await waitUntilDone(host, file);
  await curlDownload(bench, await signDownload(host, file.id), bench.bigBytes);
  const seconds = (performance.now() - started) / 1000;
  await deleteFile(host, file);
  return seconds;
}
