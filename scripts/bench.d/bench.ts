import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Storage } from "./cases.ts";
import { type Cores, shareOutCores } from "./cores.ts";
import { createProcesses, type Processes, peakRssMb, resetPeak } from "./processes.ts";
import { createSamples, type Reading, type Samples } from "./samples.ts";

export interface BenchOptions {
  readonly runs: number;
  /** Whether the run is small and short, to check that the bench works. Its results must not be quoted. */
  readonly quick: boolean;
  readonly cases: ReadonlySet<string>;
  readonly storage: Storage;
}

export interface Bench extends AsyncDisposable {
  readonly options: BenchOptions;
  readonly root: string;
  /** A folder on the disk of the checkout, removed at the end. */
  readonly dir: string;
  readonly cores: Cores;
  readonly processes: Processes;
  /** The stack of cleanups, which is disposed of at the end, also after a signal. */
  readonly stack: AsyncDisposableStack;
  readonly samples: Samples;
  /** The size used for 1 GB. */
  readonly bigBytes: number;
  /** The number of shares in the larger database. */
  readonly manyShares: number;
  /** The number used for 100,000 files. */
  readonly manyFiles: number;
}

/** One side of a comparison. */
export interface Contestant {
  readonly label: string;
  /**
   * The process ID of the server whose peak memory is recorded with our readings. A side that starts a new server for each reading records it itself.
   */
  readonly pid?: number;
  /** Measures once, and restores the state. */
  measure(): Promise<readonly Reading[]>;
}

/** A group of cases that share servers and files. */
export interface Experiment {
  readonly cases: readonly string[];
  /** Maximum number of readings, without warm-up, for a slow experiment. */
  readonly mostRuns?: number;
  /** The reason why the experiment is skipped on this machine, if it is. */
  readonly missing?: string | false;
  /** Prepares the experiment, and adds its cleanup to the stack. */
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

/** Runs the wanted cases of an experiment: usually a warm-up round, then the counted rounds. The sides alternate in being first. */
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

/** Prints the progress to stderr. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
