import { join } from "node:path";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { cpuCase } from "./cases.ts";
import { deleteFile, type Filehost, readUpload, signDownload, startFilehost, type Uploaded, waitUntilDone } from "./filehost.ts";
import { type PartFile, writePartFiles, writeRandomFile } from "./files.ts";
import { curlDownload, curlUpload, megabytesPerSecond } from "./load.ts";
import { sendParts, uploadInParts, waitUntilPresigned } from "./parts.ts";
import { cpuSeconds } from "./processes.ts";
import { type PeerStore, type ServerBucket, startStore } from "./s3-store.ts";
import type { Reading } from "./samples.ts";

const UPLOAD = "s3-upload-1g";
const PARTS = "s3-upload-1g-parts";
const DIRECT = "s3-upload-1g-direct";
const DOWNLOAD = "s3-download-1g";
const REDIRECT = "s3-download-1g-redirect";
const PART_BYTES = 16 * 1024 * 1024;
const GB = 1024 ** 3;

/**
 * Measures a large file uploaded to the store: through the server in one request and in parts, and in parts directly to the store, against the
 * same curl without our server.
 */
export const s3Uploads: Experiment = {
  cases: [UPLOAD, PARTS, DIRECT].flatMap((name) => [name, cpuCase(name)]),
  async prepare(bench, stack) {
    const store = await startStore(bench);
    const startFor = async (caseName: string) => {
      const { settings } = await store.createBucket();
      const uploads = caseName === DIRECT ? "direct" : "proxy";
      const host = await startFilehost(bench, caseName, { ...settings, FILEHOST_S3_UPLOADS: uploads });
      stack.defer(() => host.stop());
      return host;
    };
    const contestants: Contestant[] = [];
    if (isWanted(bench, UPLOAD)) {
      const source = join(bench.dir, "large");
      await writeRandomFile(source, bench.bigBytes);
      contestants.push(streamedToStore(bench, store, source), streamed(bench, await startFor(UPLOAD), source));
    }
    const wanted = [PARTS, DIRECT].filter((name) => isWanted(bench, name));
    if (wanted.length === 0) return contestants;
    const parts = await writePartFiles(bench, bench.bigBytes, PART_BYTES);
    contestants.push(partsToStore(bench, store, parts));
    for (const caseName of wanted) {
      const host = await startFor(caseName);
      if (caseName === DIRECT) await waitUntilPresigned(host, parts, { sizeBytes: bench.bigBytes, origin: store.origin });
      contestants.push(inParts(bench, { host, parts, caseName }));
    }
    return contestants;
  },
};

/** Measures a large file downloaded through the server and by redirect, against a presigned URL of the store. */
export const s3Downloads: Experiment = {
  cases: [DOWNLOAD, cpuCase(DOWNLOAD), REDIRECT, cpuCase(REDIRECT)],
  async prepare(bench, stack) {
    const store = await startStore(bench);
    const source = join(bench.dir, "large");
    await writeRandomFile(source, bench.bigBytes);
    const contestants: Contestant[] = [];
    for (const [caseName, downloads] of [
      [DOWNLOAD, "proxy"],
      [REDIRECT, "redirect"],
    ] as const) {
      if (!isWanted(bench, caseName)) continue;
      const bucket = await store.createBucket();
      const host = await startFilehost(bench, caseName, { ...bucket.settings, FILEHOST_S3_DOWNLOADS: downloads });
      stack.defer(() => host.stop());
      const { body } = await curlUpload(bench, source, `${host.url}/`, ["Accept: application/json"]);
      const file = readUpload(body);
      stack.defer(() => deleteFile(host, file));
      await waitUntilDone(host, file);
      contestants.push(download(bench, { host, file, caseName }), downloadFromStore(bench, { bucket, caseName }));
    }
    return contestants;
  },
};

const isWanted = (bench: Bench, transfer: string): boolean => [transfer, cpuCase(transfer)].some((name) => bench.options.cases.has(name));

function streamed(bench: Bench, host: Filehost, source: string): Contestant {
  return {
    label: "ours",
    pid: host.pid,
    async measure() {
      const cpuBefore = await cpuSeconds(host.pid);
      const { seconds, body } = await curlUpload(bench, source, `${host.url}/`, ["Accept: application/json"]);
      const file = readUpload(body);
      await waitUntilDone(host, file);
      const cpu = (await cpuSeconds(host.pid)) - cpuBefore;
      await deleteFile(host, file);
      return ours(bench, UPLOAD, { seconds, cpu });
    },
  };
}

function streamedToStore(bench: Bench, store: PeerStore, source: string): Contestant {
  return {
    label: "the store",
    async measure() {
      const { seconds } = await curlUpload(bench, source, await store.signPut("streamed"));
      await store.remove("streamed");
      return [{ case: UPLOAD, side: "peer", value: megabytesPerSecond(bench.bigBytes, seconds) }];
    },
  };
}

function inParts(bench: Bench, { host, parts, caseName }: { host: Filehost; parts: readonly PartFile[]; caseName: string }): Contestant {
  return {
    label: caseName === DIRECT ? "ours, in parts straight there" : "ours, in parts",
    pid: host.pid,
    async measure() {
      const cpuBefore = await cpuSeconds(host.pid);
      const { seconds, file } = await uploadInParts(bench, host, parts, bench.bigBytes);
      await waitUntilDone(host, file);
      const cpu = (await cpuSeconds(host.pid)) - cpuBefore;
      await deleteFile(host, file);
      return ours(bench, caseName, { seconds, cpu });
    },
  };
}

function partsToStore(bench: Bench, store: PeerStore, parts: readonly PartFile[]): Contestant {
  return {
    label: "the store, in parts",
    async measure() {
      const started = performance.now();
      const upload = await store.startParts("parts", parts.length);
      await sendParts(bench, parts, upload.urls);
      await upload.complete();
      const seconds = (performance.now() - started) / 1000;
      await store.remove("parts");
      const value = megabytesPerSecond(bench.bigBytes, seconds);
      return [
        { case: PARTS, side: "peer", value },
        { case: DIRECT, side: "peer", value },
      ];
    },
  };
}

function download(bench: Bench, { host, file, caseName }: { host: Filehost; file: Uploaded; caseName: string }): Contestant {
  return {
    label: caseName === REDIRECT ? "ours, by redirect" : "ours",
    pid: host.pid,
    async measure() {
      const url = await signDownload(host, file.id);
      const cpuBefore = await cpuSeconds(host.pid);
      const seconds = await curlDownload(bench, url, bench.bigBytes);
      return ours(bench, caseName, { seconds, cpu: (await cpuSeconds(host.pid)) - cpuBefore });
    },
  };
}

/** Downloads the object that our server stored. */
function downloadFromStore(bench: Bench, { bucket, caseName }: { bucket: ServerBucket; caseName: string }): Contestant {
  return {
    label: "the store",
    async measure() {
      const seconds = await curlDownload(bench, await bucket.signOnly(), bench.bigBytes);
      return [{ case: caseName, side: "peer", value: megabytesPerSecond(bench.bigBytes, seconds) }];
    },
  };
}

function ours(bench: Bench, transfer: string, { seconds, cpu }: { seconds: number; cpu: number }): Reading[] {
  return [
    { case: transfer, side: "ours", value: megabytesPerSecond(bench.bigBytes, seconds) },
    { case: cpuCase(transfer), side: "ours", value: (cpu * GB) / bench.bigBytes },
  ];
}
