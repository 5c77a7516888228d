import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { keyedUploads, listings } from "./accounts.ts";
import { archive } from "./archives.ts";
import { type Bench, type BenchOptions, type Experiment, openBench, progress, runExperiment } from "./bench.ts";
import { CASES } from "./cases.ts";
import { largeDownload, smallDownloads } from "./downloads.ts";
import { expiry } from "./expiry.ts";
import { LIFTED } from "./filehost.ts";
import { memory, startUp } from "./life.ts";
import { formatTable, formatVerdict } from "./report.ts";
import { shareLookups } from "./shares.ts";
import { largeUploads, smallUploads } from "./uploads.ts";
import { webhooks } from "./webhooks.ts";

const USAGE = `usage: scripts/bench [--json] [--case NAME]... [--runs N] [--quick]

  --json       print the results as JSON
  --case NAME  this case alone; may be repeated
  --runs N     how often each case is measured (11)
  --quick      smaller and shorter, three runs: shows that the bench works, its figures mean little

cases: ${CASES.map((one) => one.name).join(" ")}
`;

const MB = 1024 * 1024;

const EXPERIMENTS: readonly Experiment[] = [
  largeDownload("download-1g-anonymous", { owned: false }),
  smallDownloads("download-1m-16", { owned: false, sizeBytes: MB, unit: "MB/s" }),
  largeDownload("download-1g-owned", { owned: true }),
  smallDownloads("download-1m-16-owned", { owned: true, sizeBytes: MB, unit: "MB/s" }),
  smallDownloads("download-10k-16", { owned: false, sizeBytes: 10 * 1024, unit: "requests/s" }),
  largeUploads,
  smallUploads,
  keyedUploads,
  shareLookups,
  listings,
  archive,
  expiry,
  webhooks,
  memory,
  startUp,
];

const { values } = parseArgs({
  options: {
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
  const runs = Number(values.runs ?? (values.quick ? 3 : 11));
  const unknown = values.case?.find((name) => !CASES.some((one) => one.name === name));
  if (unknown !== undefined || !Number.isInteger(runs) || runs < 1) {
    process.stderr.write(unknown === undefined ? USAGE : `There is no case ${unknown}.\n\n${USAGE}`);
    process.exit(2);
  }
  return { runs, quick: values.quick ?? false, cases: new Set(withBases(values.case ?? CASES.map((one) => one.name))) };
}

/** A case that is held against another needs that one too. */
function withBases(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const base = CASES.find((one) => one.name === name)?.against;
    return base === undefined ? [name] : [base, name];
  });
}

async function describe(bench: Bench): Promise<string> {
  const memoryKb = Number(/^MemTotal:\s+(\d+)/m.exec(await readFile("/proc/meminfo", "utf8"))?.[1] ?? 0);
  const { server, load } = bench.cores;
  return [
    `filehost against nginx, ${bench.options.runs} runs each, interleaved, medians. ${cpus()[0]?.model.trim() ?? "Unknown processor"}, ${Math.round(memoryKb / MB)} GB of memory.`,
    server === undefined
      ? "Only one core here: servers and load share it, and nothing is pinned."
      : `Each server is pinned to core ${server}, the load to core ${load}.`,
    `Of filehost: ${LIFTED}. nginx's PUT counts with a sync of its file.`,
    ...(bench.options.quick ? ["Quick: 128 MB stand for 1 GB, 50,000 shares for 1,000,000. Not to be quoted."] : []),
  ].join("\n");
}

async function abandon(bench: Bench): Promise<never> {
  await bench.processes.endAll();
  rmSync(bench.dir, { recursive: true, force: true });
  process.exit(130);
}
