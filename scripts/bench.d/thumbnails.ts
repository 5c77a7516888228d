import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Experiment } from "./bench.ts";
import { type Filehost, putFile, startFilehost, waitUntilDone } from "./filehost.ts";
import { peakRssMb } from "./processes.ts";
import { withDatabase } from "./rows.ts";

const CASE = "thumbnails";
const PHOTO = { width: 4000, height: 3000 } as const;

/** Measures the thumbnails per second that an otherwise idle server makes of photos of 12 megapixels. */
export const thumbnails: Experiment = {
  cases: [CASE],
  async prepare(bench) {
    const count = bench.options.quick ? 10 : 100;
    const off = await startFilehost(bench, CASE, { FILEHOST_THUMBNAILS: "off" });
    const photo = await makePhoto();
    for (let n = 0; n < count; n++) await waitUntilDone(off, await putFile(off, `photo-${n}.jpg`, photo));
    await off.stop();
    return [
      {
        label: "ours",
        async measure() {
          enqueueAll(off);
          const startedMs = performance.now();
          const host = await startFilehost(bench, CASE);
          while (countMade(host) < count) await sleep(20);
          const value = count / ((performance.now() - startedMs) / 1000);
          bench.samples.addPeak(CASE, await peakRssMb(host.pid));
          await host.stop();
          return [{ case: CASE, side: "ours", value }];
        },
      },
    ];
  },
};

/** Makes a pattern that compresses like a photo: 4.5 MB. */
async function makePhoto(): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = PHOTO;
  const bitmap = Buffer.alloc(54 + 3 * width * height);
  bitmap.write("BM");
  bitmap.writeUInt32LE(bitmap.length, 2);
  bitmap.writeUInt32LE(54, 10);
  bitmap.writeUInt32LE(40, 14);
  bitmap.writeInt32LE(width, 18);
  bitmap.writeInt32LE(height, 22);
  bitmap.writeUInt16LE(1, 26);
  bitmap.writeUInt16LE(24, 28);
  for (let y = 0, at = 54; y < height; y++) {
    for (let x = 0; x < width; x++) {
      bitmap[at++] = x * y;
      bitmap[at++] = 3 * x + y;
      bitmap[at++] = x ^ y;
    }
  }
  return new Uint8Array(await new Bun.Image(new Uint8Array(bitmap)).jpeg({ quality: 85 }).bytes());
}

/** Enqueues the thumbnails of all files of a stopped server, as if they had none. */
function enqueueAll({ dataDir }: Filehost): void {
  withDatabase(dataDir, (db) => {
    db.exec("UPDATE files SET thumbnail_bytes = NULL, thumbnail_width = NULL, thumbnail_height = NULL");
    const insert = db.prepare(
      "INSERT INTO jobs (id, kind, subject, run_at, created_at, fair_key) VALUES (?, 'thumbnail', ?, ?, ?, 'bench')",
    );
    for (const { id } of db.prepare("SELECT id FROM files").all() as { id: string }[]) insert.run(randomUUID(), id, Date.now(), Date.now());
  });
}

const countMade = ({ dataDir }: Filehost): number =>
  withDatabase(dataDir, (db) => (db.prepare("SELECT count(thumbnail_bytes) AS made FROM files").get() as { made: number }).made);
