import type { JobRow } from "../db/tables/jobs.ts";
import type { JobCtx } from "./context.ts";

/**
 * The outcome of a run: done, or the time of the next run, which is earlier if the condition `awaits` is met (`wakeAwaiting`). `reason` describes a
 * failure; without it, the job only waits.
 */
export type JobOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "again"; readonly atMs: number; readonly reason?: string; readonly awaits?: string };

/** The number of jobs of a kind that run at the same time in one server instance. */
export interface JobSlots {
  readonly total: number;
  /**
   * The fair distribution of slots among the keys of jobs; without it, jobs run in the order in which they are due. Of `total`, one key has at most
   * `perKey`, and large jobs have at most `large`.
   */
  readonly fair?: { readonly perKey: number; readonly large: number };
}

/** A kind of durable work: one run at a time per subject, repeated after a crash, with growing pauses after failures. */
export interface JobKind<C extends JobCtx = JobCtx> {
  readonly name: string;
  /** Returns the slots. Called whenever jobs are leased, because they may change while the server runs. */
  readonly slots: (ctx: C) => JobSlots;
  /** Runs a job. An error counts as a failed attempt, which is repeated without limit. `signal` fires when the server drains. */
  readonly run: (ctx: C, job: JobRow, signal: AbortSignal) => Promise<JobOutcome>;
}

export const DONE: JobOutcome = { kind: "done" };

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;

/** Returns the pause after the n-th failed attempt (1, 2, …): doubling, with ±20 % jitter. `fraction` is random, from 0 to 1. */
export function backoffMs(attempt: number, fraction: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 20), MAX_PAUSE_MS);
  return Math.round(pause * (0.8 + 0.4 * fraction));
}
