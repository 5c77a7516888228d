import type { Ctx, TxCtx } from "../context.ts";
import { claimFairJob } from "../db/fair-jobs.ts";
import { LEASE_MS } from "../db/instances.ts";
import { claimJobs } from "../db/jobs.ts";
import type { JobRow } from "../db/tables/processes.ts";
import type { JobSlots } from "./job.ts";

type FairSlots = NonNullable<JobSlots["fair"]>;

/** What of a kind runs in this process. */
export interface BusySlots {
  all: number;
  large: number;
  /** Whether the last job that started was a large one. */
  wasLarge: boolean;
}

export interface SlotClaim {
  readonly kind: string;
  readonly slots: JobSlots;
  readonly busy: Readonly<BusySlots>;
  readonly nowMs: number;
}

/** Leases as many due jobs of a kind as there are free slots for. */
export async function claimForSlots(ctx: Ctx, claim: SlotClaim): Promise<readonly JobRow[]> {
  const { kind, slots, busy, nowMs } = claim;
  const { fair } = slots;
  if (fair) return await ctx.tx((ctx) => claimFairly(ctx, claim, fair));
  return await claimJobs(ctx.db, { kind, limit: slots.total - busy.all, holder: ctx.instanceId, nowMs, leaseMs: LEASE_MS });
}

/**
 * Small jobs come before large ones, which always leave them a slot. So that large ones are not starved in turn, one of them goes first
 * where none runs, but not twice in a row.
 */
async function claimFairly(ctx: TxCtx, { kind, slots, busy, nowMs }: SlotClaim, fair: FairSlots): Promise<readonly JobRow[]> {
  const { perKey, large } = fair;
  const claimed: JobRow[] = [];
  const free = (): number => slots.total - busy.all - claimed.length;
  const freeForLarge = (): number => Math.min(free(), large - busy.large - claimed.filter((job) => job.is_large === 1).length);
  const claim = async (isLarge: boolean, limit: number): Promise<void> => {
    for (let left = limit; left > 0; left--) {
      const job = await claimFairJob(ctx.db, { kind, isLarge, holder: ctx.instanceId, nowMs, leaseMs: LEASE_MS, maxPerKey: perKey });
      if (!job) return;
      claimed.push(job);
    }
  };
  if (busy.large === 0 && !busy.wasLarge) await claim(true, Math.min(1, freeForLarge()));
  await claim(false, free());
  await claim(true, freeForLarge());
  return claimed;
}
