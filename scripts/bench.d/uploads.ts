import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { deleteFile, type Filehost, readUpload, startFilehost } from "./filehost.ts";
import { type PartFile, randomBytes, writePartFiles, writeRandomFile } from "./files.ts";
import { curlUpload, megabytesPerSecond } from "./load.ts";
import { type Nginx, startNginx } from "./nginx.ts";
import { sendParts, uploadInParts } from "./parts.ts";
import { type BareServer, startBareServer } from "./runtime.ts";

const STREAM = "upload-1g";
const PARTS = "upload-1g-parts";
const COMPLETE = "complete-1g";
const PART_BYTES = 16 * 1024 * 1024;

/** Measures a large file, in one request and in parts, against the bare server, and against nginx's PUT and an fsync of the file. */
export const largeUploads: Experiment = {
  cases: [STREAM, PARTS, COMPLETE],
  async prepare(bench, stack) {
    const source = join(bench.dir, "large");
    await writeRandomFile(source, bench.bigBytes);
    const nginx = await startNginx(bench, stack);
    const host = await startFilehost(bench, "uploads");
    stack.defer(() => host.stop());
    const bare = await startBareServer(bench, stack);
    const contestants: Contestant[] = [byNginx(bench, nginx, source)];
    if (bench.options.cases.has(STREAM)) contestants.push(byCurl(bench, host, source), toBareServer(bench, bare, source));
    if (bench.options.cases.has(PARTS) || bench.options.cases.has(COMPLETE)) {
      const parts = await writePartFiles(bench, bench.bigBytes, PART_BYTES);
      contestants.push(inParts(bench, host, parts), inPartsToBareServer(bench, bare, parts));
    }
    return contestants;
  },
};

function byNginx(bench: Bench, nginx: Nginx, source: string): Contestant {
  return {
    label: "nginx",
    async measure() {
      const stored = join(nginx.folder, "large");
      const upload = await curlUpload(bench, source, `${nginx.url}/large`);
      const started = performance.now();
      await bench.processes.run("sync", [stored]);
      const value = megabytesPerSecond(bench.bigBytes, upload.seconds + (performance.now() - started) / 1000);
      await rm(stored);
      return [
        { case: STREAM, side: "peer", value },
        { case: PARTS, side: "peer", value },
      ];
    },
  };
}

function byCurl(bench: Bench, host: Filehost, source: string): Contestant {
  return {
    label: "ours",
    pid: host.pid,
    async measure() {
      const { seconds, body } = await curlUpload(bench, source, `${host.url}/`, ["Accept: application/json"]);
      await deleteFile(host, readUpload(body));
      return [{ case: STREAM, side: "ours", value: megabytesPerSecond(bench.bigBytes, seconds) }];
    },
  };
}

function toBareServer(bench: Bench, bare: BareServer, source: string): Contestant {
  return {
    label: "bare Bun",
    async measure() {
      const { seconds } = await curlUpload(bench, source, `${bare.url}/large`);
      await rm(join(bare.folder, "large"));
      return [{ case: STREAM, side: "runtime", value: megabytesPerSecond(bench.bigBytes, seconds) }];
    },
  };
}

function inPartsToBareServer(bench: Bench, bare: BareServer, parts: readonly PartFile[]): Contestant {
  const urls = Object.fromEntries(parts.map(({ number }) => [String(number), `${bare.url}/parts?offset=${(number - 1) * PART_BYTES}`]));
  return {
    label: "bare Bun, in parts",
    async measure() {
      const started = performance.now();
      await sendParts(bench, parts, urls);
      const seconds = (performance.now() - started) / 1000;
      await rm(join(bare.folder, "parts"));
      return [{ case: PARTS, side: "runtime", value: megabytesPerSecond(bench.bigBytes, seconds) }];
    },
  };
}

function inParts(bench: Bench, host: Filehost, parts: readonly PartFile[]): Contestant {
  return {
    label: "ours, in parts",
    pid: host.pid,
    async measure() {
      const upload = await uploadInParts(bench, host, parts, bench.bigBytes);
      await deleteFile(host, upload.file);
      return [
        { case: PARTS, side: "ours", value: megabytesPerSecond(bench.bigBytes, upload.seconds) },
        { case: COMPLETE, side: "ours", value: upload.completeMs },
        { case: COMPLETE, side: "peer", value: await measureFsyncMs(bench) },
      ];
    },
  };
}

/** Measures an fsync of 4 KB appended to a file. */
async function measureFsyncMs(bench: Bench): Promise<number> {
  const file = await open(join(bench.dir, "fsync-probe"), "a");
  try {
    await file.write(randomBytes(4096));
    const started = performance.now();
    await file.sync();
    return performance.now() - started;
  } finally {
    await file.close();
  }
}

const SMALL = "upload-10k-16";
const SMALL_BYTES = 10 * 1024;
const CLIENTS = 16;
const SMALL_SECONDS = 1;

/** Measures small files uploaded by 16 clients. Each counts when it is on disk. */
export const smallUploads: Experiment = {
  cases: [SMALL],
  async prepare(bench, stack) {
    const nginx = await startNginx(bench, stack);
    const bare = await startBareServer(bench, stack);
    const host = await startFilehost(bench, "small-uploads");
    stack.defer(() => host.stop());
    const bytes = randomBytes(SMALL_BYTES);
    let serial = 0;
    return [
      {
        label: "ours",
        pid: host.pid,
        async measure() {
          const value = await filesPerSecond(() => put(`${host.url}/small-${++serial}`, bytes));
          return [{ case: SMALL, side: "ours", value }];
        },
      },
      {
        label: "bare Bun",
        async measure() {
          const value = await filesPerSecond(() => put(`${bare.url}/small-${++serial}`, bytes));
          return [{ case: SMALL, side: "runtime", value }];
        },
      },
      smallUploadsToNginx(nginx, SMALL, bytes),
    ];
  },
};

/** Makes the peer of small uploads. Each counts when it is on disk. */
export function smallUploadsToNginx(nginx: Nginx, name: string, bytes: Uint8Array<ArrayBuffer>): Contestant {
  let serial = 0;
  return {
    label: "nginx",
    async measure() {
      const value = await filesPerSecond(async () => {
        const file = `small-${++serial}`;
        await put(`${nginx.url}/${file}`, bytes);
        await syncFile(join(nginx.folder, file));
      });
      return [{ case: name, side: "peer", value }];
    },
  };
}

/** Returns the files per second of 16 clients, each of which uploads in a loop. */
export async function filesPerSecond(upload: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const deadline = started + SMALL_SECONDS * 1000;
  let done = 0;
  const client = async () => {
    while (performance.now() < deadline) {
      await upload();
      done++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return done / ((performance.now() - started) / 1000);
}

async function put(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await fetch(url, { method: "PUT", body: bytes, headers: { accept: "application/json" } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`PUT of ${url} returned ${response.status}`);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
