import type { Ctx } from "../context.ts";
import type { JobRow } from "../db/tables/processes.ts";

/** What a run of a job asks for: nothing more, or another run at a time; sooner where what it `awaits` is there again (`wakeAwaiting`). */
export type JobOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "again"; readonly atMs: number; readonly reason: string; readonly awaits?: string };

/** How many jobs of a kind run at the same time in one process. */
export interface JobSlots {
  readonly total: number;
  /**
   * Set where the slots are shared out fairly among those who cause the jobs; without it, the job that is due first comes first.
   * Of `total`, one key has `perKey` at most, and large jobs have `large` at most.
   */
  readonly fair?: { readonly perKey: number; readonly large: number };
}

/** A kind of durable work: one run at a time for a subject, again after a crash, with growing pauses after failures. */
export interface JobKind {
  readonly name: string;
  /** Asked each time jobs are claimed: it may change while the server runs. */
  slots(ctx: Ctx): JobSlots;
  /** Throwing counts as a failed attempt and is tried again, for ever; `signal` fires when the server drains. */
  run(ctx: Ctx, job: JobRow, signal: AbortSignal): Promise<JobOutcome>;
}

export const DONE: JobOutcome = { kind: "done" };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** The pause after the n-th failed attempt (1, 2, …): doubling, with a fifth of chance either way. */
export function backoffMs(attempt: number, chance: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_PAUSE_MS);
  return Math.round(pause * (0.8 + 0.4 * chance));
}
