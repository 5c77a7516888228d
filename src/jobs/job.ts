import type { JobRow } from "../db/tables/processes.ts";
import type { JobCtx } from "./context.ts";

/**
 * The result of a run: done, or run again at a time, earlier if the condition `awaits` is met (`wakeAwaiting`). `reason`: why it failed; without
 * one, it only waits.
 */
export type JobOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "again"; readonly atMs: number; readonly reason?: string; readonly awaits?: string };

/** How many jobs of a kind run at the same time in one server instance. */
export interface JobSlots {
  readonly total: number;
  /**
   * Set if slots are shared fairly among the keys of jobs; without it, jobs run in the order in which they are due. Of `total`, one key has
   * at most `perKey`, and large jobs at most `large`.
   */
  readonly fair?: { readonly perKey: number; readonly large: number };
}

/** A kind of durable work: one run at a time per subject, repeated after a crash, with growing pauses after failures. */
export interface JobKind<C extends JobCtx = JobCtx> {
  readonly name: string;
  /** Called whenever jobs are leased: it may change while the server runs. */
  readonly slots: (ctx: C) => JobSlots;
  /** Throwing counts as a failed attempt, which is repeated without limit. `signal` fires when the server drains. */
  readonly run: (ctx: C, job: JobRow, signal: AbortSignal) => Promise<JobOutcome>;
}

export const DONE: JobOutcome = { kind: "done" };

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;

/** The pause after the n-th failed attempt (1, 2, …): doubling, with ±20 % jitter. `fraction` is random, from 0 to 1. */
export function backoffMs(attempt: number, fraction: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 20), MAX_PAUSE_MS);
  return Math.round(pause * (0.8 + 0.4 * fraction));
}
