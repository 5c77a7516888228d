import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Contestant, Experiment } from "./bench.ts";
import { type ClientPeer, startPeers } from "./client-peers.ts";
import { type Filehost, signDownload, startFilehost } from "./filehost.ts";
import { randomBytes, writeRandomFile } from "./files.ts";
import type { Measured } from "./processes.ts";
import type { Reading } from "./samples.ts";

const SMALL_BYTES = 10 * 1024;
const PEERS = ["rclone", "rsync"];

/** The files of a transfer. */
interface Load {
  /** The path of a file, or of a folder of files. */
  readonly source: string;
  readonly files: readonly string[];
  /** The number of megabytes or files. */
  readonly amount: number;
}

const makeLarge = async (bench: Bench, name: string): Promise<Load> => {
  const source = join(bench.dir, name);
  const sizeBytes = 2 * bench.bigBytes;
  await writeRandomFile(source, sizeBytes);
  return { source, files: [source], amount: sizeBytes / (1024 * 1024) };
};

const makeMany = async (bench: Bench, name: string): Promise<Load> => {
  const source = join(bench.dir, name);
  const amount = bench.options.quick ? 500 : 10_000;
  await mkdir(source);
  const files = Array.from({ length: amount }, (_, n) => join(source, `file-${n}`));
  for (const file of files) await writeFile(file, randomBytes(SMALL_BYTES));
  return { source, files, amount };
};

/** Measures `filehost up` of a large file against `curl -T` to the same server, rclone and rsync. */
export const largeClientUploads = uploads("up-2g", makeLarge);
export const largeClientDownloads = downloads("down-2g", makeLarge);
/** Measures `filehost up` of a folder of small files; `curl` sends them one after another on one connection, and each becomes a share. */
export const manyClientUploads = uploads("up-10000x10k", makeMany);
export const manyClientDownloads = downloads("down-10000x10k", makeMany);

type MakeLoad = (bench: Bench, name: string) => Promise<Load>;

function uploads(name: string, make: MakeLoad): Experiment {
  return experiment(name, async (bench, stack) => {
    const load = await make(bench, name);
    const host = await start(bench, stack, name);
    const config = await writeCurlConfig(
      bench,
      name,
      load.files.map((file) => `upload-file = "${file}"\nurl = "${host.url}/"`),
    );
    return {
      load,
      async ours() {
        const measured = await client(bench, host, ["up", load.source]);
        if (load.files.length === 1) await client(bench, host, ["rm", "--yes", measured.output.trim()]);
        return measured;
      },
      async curl() {
        const { output, seconds } = await bench.processes.measure("curl", ["-sS", "-f", "-H", "Accept: application/json", "-K", config]);
        await deleteUploads(host, output);
        return seconds;
      },
      byPeer: (peer) => peer.up(load.source),
    };
  });
}

function downloads(name: string, make: MakeLoad): Experiment {
  return experiment(name, async (bench, stack) => {
    const load = await make(bench, name);
    const host = await start(bench, stack, name);
    const link = (await client(bench, host, ["up", load.source])).output.trim();
    const target = join(bench.dir, `${name}-target`);
    const urls = await signAll(host, link);
    const config = await writeCurlConfig(
      bench,
      name,
      urls.map((url, n) => `url = "${url}"\noutput = "${join(target, `file-${n}`)}"`),
    );
    const intoEmpty = async <T>(fetchAll: () => Promise<T>): Promise<T> => {
      await mkdir(target);
      try {
        const result = await fetchAll();
        const found = await readdir(target, { recursive: true, withFileTypes: true });
        const count = found.filter((entry) => entry.isFile()).length;
        if (count !== load.files.length) throw new Error(`${count} files arrived instead of ${load.files.length}`);
        return result;
      } finally {
        await rm(target, { recursive: true, force: true });
      }
    };
    return {
      load,
      ours: () => intoEmpty(() => client(bench, host, ["down", link, "--folder", target])),
      curl: () => intoEmpty(async () => (await bench.processes.measure("curl", ["-sS", "-f", "-K", config])).seconds),
      offer: (peer) => peer.offer(load.source),
      byPeer: (peer) => intoEmpty(() => peer.down(load.source, target)),
    };
  });
}

interface Sides {
  readonly load: Load;
  ours(): Promise<Measured>;
  curl(): Promise<number>;
  offer?(peer: ClientPeer): Promise<void>;
  byPeer(peer: ClientPeer): Promise<number>;
}

/** Makes an experiment whose case `name` compares with curl, and `name`-rclone and `name`-rsync with these programs. */
function experiment(name: string, prepare: (bench: Bench, stack: AsyncDisposableStack) => Promise<Sides>): Experiment {
  const caseOf = (peer: string): string => `${name}-${peer}`;
  return {
    cases: [name, ...PEERS.map(caseOf)],
    mostRuns: 3,
    async prepare(bench, stack) {
      const sides = await prepare(bench, stack);
      const peers = await startPeers(
        bench,
        stack,
        PEERS.filter((peer) => bench.options.cases.has(caseOf(peer))),
      );
      const reading = (one: string, side: Reading["side"], seconds: number): Reading => ({
        case: one,
        side,
        value: sides.load.amount / seconds,
      });
      const ours: Contestant = {
        label: "filehost",
        async measure() {
          const { seconds, peakMb, cpuSeconds } = await sides.ours();
          bench.samples.addPeak(name, peakMb);
          process.stderr.write(
            `    filehost: peak ${peakMb.toFixed(0)} MB, ${cpuSeconds.toFixed(2)} s of processor time in ${seconds.toFixed(2)} s\n`,
          );
          return [name, ...peers.map((peer) => caseOf(peer.name))].map((one) => reading(one, "ours", seconds));
        },
      };
      const curl: Contestant = { label: "curl", measure: async () => [reading(name, "peer", await sides.curl())] };
      const others = peers.map((peer) => ({
        label: peer.name,
        measure: async () => [reading(caseOf(peer.name), "peer", await sides.byPeer(peer))],
      }));
      for (const peer of peers) await sides.offer?.(peer);
      return [ours, curl, ...others];
    },
  };
}

async function start(bench: Bench, stack: AsyncDisposableStack, name: string): Promise<Filehost> {
  const host = await startFilehost(bench, `${name}-data`);
  stack.defer(() => host.stop());
  return host;
}

/** Runs the executable as a client without an account, whose state is in the bench's folder. */
async function client(bench: Bench, host: Filehost, words: readonly string[]): Promise<Measured> {
  const home = join(bench.dir, "client");
  await mkdir(home, { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  return await bench.processes.measure(join(bench.root, "filehost"), [...words, "--quiet", "--url", host.url], { env });
}

async function writeCurlConfig(bench: Bench, name: string, entries: readonly string[]): Promise<string> {
  const path = join(bench.dir, `${name}.curl`);
  await writeFile(path, `${entries.join("\n")}\n`);
  return path;
}

/**
 * Deletes a large file that curl sent. Small files are kept, also those of the client, because deleting thousands would disturb the next readings.
 */
async function deleteUploads(host: Filehost, output: string): Promise<void> {
  const uploaded = [...output.matchAll(/"id":"([^"]+)".*?"deletionToken":"([^"]+)"/g)];
  if (uploaded.length !== 1) return;
  for (const [, fileId = "", token = ""] of uploaded) {
    const response = await fetch(`${host.url}/api/files/delete?${new URLSearchParams({ fileId, token })}`, { method: "DELETE" });
    if (!response.ok) throw new Error(`deleting ${fileId} returned ${response.status}: ${await response.text()}`);
  }
}

/** Signs the URLs of all files of a share, which curl gets in place of the client's own requests for them. */
async function signAll(host: Filehost, link: string): Promise<string[]> {
  const response = await fetch(`${host.url}/api/files/share/${link.slice(link.lastIndexOf("/") + 1)}`);
  const share = (await response.json()) as { id: string; files?: readonly { id: string }[] | null };
  const urls: string[] = [];
  for (const { id } of share.files ?? [share]) urls.push(await signDownload(host, id));
  return urls;
}
