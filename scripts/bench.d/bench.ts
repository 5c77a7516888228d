import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Storage } from "./cases.ts";
import { type Cores, shareOutCores } from "./cores.ts";
import { createProcesses, type Processes, peakRssMb, resetPeak } from "./processes.ts";
import { createSamples, type Reading, type Samples } from "./samples.ts";

export interface BenchOptions {
  readonly runs: number;
  /** Smaller and shorter: to see that everything works, not to be quoted. */
  readonly quick: boolean;
  readonly cases: ReadonlySet<string>;
  readonly storage: Storage;
}

export interface Bench extends AsyncDisposable {
  readonly options: BenchOptions;
  readonly root: string;
  /** On the disk of the checkout, gone at the end. */
  readonly dir: string;
  readonly cores: Cores;
  readonly processes: Processes;
  /** What is undone at the end, also at one by a signal. */
  readonly stack: AsyncDisposableStack;
  readonly samples: Samples;
  /** What stands for 1 GB. */
  readonly bigBytes: number;
  /** Shares in the larger database. */
  readonly manyShares: number;
  /** What stands for 100,000 files. */
  readonly manyFiles: number;
}

/** One side of a comparison. */
export interface Contestant {
  readonly label: string;
  /** The server whose peak memory is recorded with the readings of ours; one that starts anew each time records its peak itself. */
  readonly pid?: number;
  /** Measures once, and leaves things as they were. */
  measure(): Promise<readonly Reading[]>;
}

/** A group of cases that share servers and files. */
export interface Experiment {
  readonly cases: readonly string[];
  /** Of an experiment that takes long: measured so many times at most, and not to warm up. */
  readonly mostRuns?: number;
  /** Gets everything ready; what must be undone goes on the stack. */
  prepare(bench: Bench, stack: AsyncDisposableStack): Promise<readonly Contestant[]>;
}

export async function openBench(root: string, options: BenchOptions): Promise<Bench> {
  const processes = createProcesses();
  const cores = await shareOutCores(processes);
  const parent = join(root, ".tools");
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, "bench-"));
  const stack = new AsyncDisposableStack();
  return {
    options,
    root,
    dir,
    cores,
    processes,
    stack,
    samples: createSamples(),
    bigBytes: (options.quick ? 128 : 1024) * 1024 * 1024,
    manyShares: options.quick ? 50_000 : 1_000_000,
    manyFiles: options.quick ? 10_000 : 100_000,
    async [Symbol.asyncDispose]() {
      await processes.endAll();
      await stack.disposeAsync();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Runs the experiment's wanted cases: as a rule one round to warm up, then the rounds that count, each side first in turn. */
export async function runExperiment(bench: Bench, experiment: Experiment): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const contestants = await experiment.prepare(bench, stack);
  const runs = Math.min(bench.options.runs, experiment.mostRuns ?? Number.POSITIVE_INFINITY);
  for (let round = experiment.mostRuns === undefined ? 0 : 1; round <= runs; round++) {
    progress(`  ${round === 0 ? "warm-up" : `round ${round} of ${runs}`}`);
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const contestant of order) await takeReadings(bench, contestant, round > 0);
  }
}

async function takeReadings(bench: Bench, contestant: Contestant, counts: boolean): Promise<void> {
  if (contestant.pid !== undefined) await resetPeak(contestant.pid);
  const readings = await contestant.measure();
  if (!counts) return;
  const peakMb = contestant.pid === undefined ? undefined : await peakRssMb(contestant.pid);
  for (const reading of readings.filter((one) => bench.options.cases.has(one.case))) {
    bench.samples.add(reading);
    if (peakMb !== undefined && reading.side === "ours") bench.samples.addPeak(reading.case, peakMb);
    progress(
      `    ${contestant.label}: ${reading.case} ${reading.value.toFixed(1)}${peakMb === undefined ? "" : `, peak ${peakMb.toFixed(0)} MB`}`,
    );
  }
}

/** Tells whoever waits how far it is; never part of the result. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
