import type { StorageOptions } from "../../../blobs/open-store.ts";
import type { Ctx } from "../../../context.ts";
import { findServerState, saveServerState } from "../../../db/server-state.ts";
import { AppError } from "../../../errors.ts";
import { listLiveInstances, registerInstance } from "../../../jobs/instances.ts";

/** The exclusive right to copy to a store, with the keys of blobs whose copies were started and not yet verified. */
export interface CopyLease {
  /** Keys from an interrupted copy, whose blobs must be read again. */
  readonly unverified: ReadonlySet<string>;
  /** Stores keys before their blobs are written. */
  begin(keys: readonly string[]): Promise<void>;
  /** Removes the key of a blob that was verified or certainly does not exist. */
  markVerified(key: string): void;
}

/** A stored lease, in JSON. */
interface LeaseRecord {
  readonly holder: string | null;
  /** The keys of unverified blobs. */
  readonly unverified: readonly string[];
}

/**
 * Runs `work` while no other copy to the store runs; takes over the lease of a stopped process immediately. Throws CONFLICT if another copy runs. When
 * `work` ends or fails, stores the unverified keys for the next copy.
 */
export async function withCopyLease<T>(ctx: Ctx, to: StorageOptions["kind"], work: (lease: CopyLease) => Promise<T>): Promise<T> {
  const name = `storage_copy_${to}` as const;
  const unregister = await registerInstance(ctx);
  try {
    const before = await acquire(ctx, name);
    const unverified = new Set(before.unverified);
    const save = (holder: string | null): Promise<void> => saveServerState(ctx.db, name, toText({ holder, unverified: [...unverified] }));
    try {
      return await work({
        unverified: new Set(before.unverified),
        async begin(keys) {
          for (const key of keys) unverified.add(key);
          await save(ctx.instanceId);
        },
        markVerified: (key) => void unverified.delete(key),
      });
    } finally {
      await save(null);
    }
  } finally {
    await unregister();
  }
}

async function acquire(ctx: Ctx, name: Parameters<typeof findServerState>[1]): Promise<LeaseRecord> {
  return await ctx.transaction(async (ctx) => {
    const text = await findServerState(ctx.db, name);
    const before = text === undefined ? { holder: null, unverified: [] } : parseLease(text);
    if (before.holder !== null && (await listLiveInstances(ctx)).has(before.holder)) throw alreadyRunning();
    await saveServerState(ctx.db, name, toText({ ...before, holder: ctx.instanceId }));
    return before;
  });
}

const parseLease = (text: string): LeaseRecord => JSON.parse(text);

const toText = (lease: LeaseRecord): string => JSON.stringify(lease);

const alreadyRunning = (): AppError => new AppError("CONFLICT", "Another copy to that store is running. Wait for it to end, or stop it.");
