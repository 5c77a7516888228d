import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { keyedUploads, listings } from "./accounts.ts";
import { archive } from "./archives.ts";
import { batches } from "./batches.ts";
import { type Bench, type BenchOptions, type Experiment, openBench, progress, runExperiment } from "./bench.ts";
import { encryptedBrowserUploads, largeBrowserUploads, manyBrowserUploads } from "./browser-uploads.ts";
import { CASES, casesOf, type Storage } from "./cases.ts";
import { largeClientDownloads, largeClientUploads, manyClientDownloads, manyClientUploads } from "./client-transfers.ts";
import { downloadOfSent, largeDownload, smallDownloads } from "./downloads.ts";
import { expiry } from "./expiry.ts";
import { LIFTED } from "./filehost.ts";
import { memory, startUp } from "./life.ts";
import { mcpSessions, toolCalls } from "./mcp.ts";
import { placeLookups } from "./places.ts";
import { formatTable, formatVerdict } from "./report.ts";
import { s3Metadata } from "./s3-metadata.ts";
import { s3Downloads, s3Uploads } from "./s3-transfers.ts";
import { sendToReceive } from "./send-to-receive.ts";
import { shareLookups, sharePages } from "./shares.ts";
import { shipmentPages } from "./shipments.ts";
import { callers, signIns } from "./sign-in.ts";
import { thumbnails } from "./thumbnails.ts";
import { largeUploads, smallUploads } from "./uploads.ts";
import { webhooks } from "./webhooks.ts";

const namesOf = (storage: Storage): string =>
  casesOf(storage)
    .map(({ name }) => name)
    .join(" ");

const USAGE = `usage: scripts/bench [--storage disk|s3] [--json] [--case NAME]... [--runs N] [--quick]

  --storage s3 store bytes in OpenStack Swift through S3, started for the bench, instead of on disk (disk)
  --json       print the results as JSON
  --case NAME  measure only this case; may be repeated
  --runs N     how often each case is measured (11)
  --quick      smaller, shorter, three runs: shows that the bench works; its figures mean little

cases: ${namesOf("disk")}

cases of --storage s3: ${namesOf("s3")}

  s3-…           the same curl through filehost, and directly to the store by presigned URLs, for comparison
  s3-…-direct    in parts that curl sends directly to the store by URLs that filehost presigned (FILEHOST_S3_UPLOADS=direct)
  s3-…-cpu       processor seconds of filehost per GB, including the scan after an upload
  s3-metadata-…  processor seconds of filehost for 1,000 requests of share metadata: one process on a local database file, then one and
                 two (their sum) on one database server and one bucket. The database server is a substitute, and not counted

examples: scripts/bench --case upload-1g --runs 3
          scripts/bench --storage s3 --case s3-download-1g --json
`;

const MB = 1024 * 1024;

const EXPERIMENTS: readonly Experiment[] = [
  sendToReceive,
  largeDownload("download-1g-anonymous", { owned: false }),
  downloadOfSent,
  smallDownloads("download-1m-16", { owned: false, sizeBytes: MB, unit: "MB/s" }),
  largeDownload("download-1g-owned", { owned: true }),
  smallDownloads("download-1m-16-owned", { owned: true, sizeBytes: MB, unit: "MB/s" }),
  smallDownloads("download-10k-16", { owned: false, sizeBytes: 10 * 1024, unit: "requests/s" }),
  largeUploads,
  smallUploads,
  keyedUploads,
  batches,
  largeBrowserUploads,
  encryptedBrowserUploads,
  manyBrowserUploads,
  largeClientUploads,
  largeClientDownloads,
  manyClientUploads,
  manyClientDownloads,
  shareLookups,
  sharePages,
  shipmentPages,
  callers,
  toolCalls,
  mcpSessions,
  signIns,
  listings,
  placeLookups,
  archive,
  expiry,
  thumbnails,
  webhooks,
  memory,
  startUp,
  s3Uploads,
  s3Downloads,
  s3Metadata,
];

const { values } = parseArgs({
  options: {
    storage: { type: "string" },
    json: { type: "boolean" },
    case: { type: "string", multiple: true },
    runs: { type: "string" },
    quick: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
} else {
  process.exitCode = await main(readOptions(), values.json ?? false);
}

async function main(options: BenchOptions, json: boolean): Promise<number> {
  await using bench = await openBench(join(dirname(process.argv[1] ?? "."), "..", ".."), options);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void abandon(bench));
  progress(await describe(bench));
  const failed: string[] = [];
  for (const experiment of EXPERIMENTS) {
    const wanted = experiment.cases.filter((name) => options.cases.has(name));
    if (wanted.length === 0) continue;
    progress(wanted.join(", "));
    if (experiment.missing) {
      progress(`  skipped: ${experiment.missing}`);
      continue;
    }
    try {
      await runExperiment(bench, experiment);
    } catch (error) {
      failed.push(...wanted);
      progress(`  failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const rows = bench.samples.rows().filter((row) => !failed.includes(row.case));
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else process.stdout.write(`${await describe(bench)}\n\n${formatTable(rows)}\n\n${formatVerdict(rows)}\n`);
  if (failed.length > 0) progress(`Could not be measured: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

function readOptions(): BenchOptions {
  const { storage = "disk" } = values;
  if (storage !== "disk" && storage !== "s3") return refuse(`There is no storage ${storage}.`);
  const runs = Number(values.runs ?? (values.quick ? 3 : 11));
  if (!Number.isInteger(runs) || runs < 1) return refuse(`${values.runs} is not a number of runs.`);
  const names = casesOf(storage).map(({ name }) => name);
  const unknown = values.case?.find((name) => !names.includes(name));
  if (unknown !== undefined) return refuse(`There is no case ${unknown} with --storage ${storage}.`);
  return { runs, quick: values.quick ?? false, storage, cases: new Set(withBases(values.case ?? names)) };
}

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n\n${USAGE}`);
  process.exit(2);
}

/** Adds the cases to which the wanted ones are compared. */
function withBases(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const base = CASES.find((one) => one.name === name)?.against;
    return base === undefined ? [name] : [base, name];
  });
}

async function describe(bench: Bench): Promise<string> {
  const memoryKb = Number(/^MemTotal:\s+(\d+)/m.exec(await readFile("/proc/meminfo", "utf8"))?.[1] ?? 0);
  const { server, load } = bench.cores;
  const { runs, quick, storage } = bench.options;
  const onS3 = storage === "s3";
  // The congestion control affects the speed and the variance over loopback: BBR paces, CUBIC is twice as fast.
  const congestion = (await readFile("/proc/sys/net/ipv4/tcp_congestion_control", "utf8")).trim();
  return [
    `filehost ${onS3 ? "on OpenStack Swift against Swift itself" : "against nginx and a bare server of its runtime"}, ${runs} runs each, interleaved, medians. ${cpus()[0]?.model.trim() ?? "Unknown processor"}, ${Math.round(memoryKb / MB)} GB of memory, TCP by ${congestion}.`,
    server === undefined
      ? "Only one core here: servers and load share it, and nothing is pinned."
      : `${onS3 ? "filehost is pinned to core" : "Each server is pinned to core"} ${server}, the load${onS3 ? " and the store" : ""} to core ${load}.`,
    `Of filehost: ${LIFTED}.${onS3 ? "" : " nginx's PUT counts with a sync of its file."}`,
    ...(quick ? ["Quick: 128 MB stand for 1 GB, 50,000 shares for 1,000,000, tenths for other numbers of files. Not to be quoted."] : []),
  ].join("\n");
}

async function abandon(bench: Bench): Promise<never> {
  await bench.processes.endAll();
  await bench.stack.disposeAsync();
  rmSync(bench.dir, { recursive: true, force: true });
  process.exit(130);
}
