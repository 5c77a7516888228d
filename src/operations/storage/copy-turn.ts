import type { StorageOptions } from "../../blobs/open.ts";
import type { Ctx } from "../../context.ts";
import { LEASE_MS, removeInstance, renewInstance } from "../../db/instances.ts";
import { findSetting, saveSetting } from "../../db/settings.ts";
import { AppError } from "../../errors.ts";
import { describeInstance, listLiving } from "../../instance.ts";

/** The right to copy to a store, and what the database knows of blobs whose writing has begun and whose reading back has not ended. */
export interface CopyTurn {
  /** Left by a copy that did not come to its end: to be read again before they are believed. */
  readonly unproven: ReadonlySet<string>;
  /** Remembers blobs before they are written. */
  begin(keys: readonly string[]): Promise<void>;
  /** A blob is proven, or certainly not there. */
  settle(key: string): void;
}

interface Remembered {
  readonly holder: string | null;
  readonly unproven: readonly string[];
}

/**
 * Lets one copy to a store run at a time, and a dead one's place be taken at once. Throws CONFLICT where another one lives. What is unproven at the end of
 * `work`, however it ends, is remembered for the next.
 */
export async function withCopyTurn<T>(ctx: Ctx, to: StorageOptions["kind"], work: (turn: CopyTurn) => Promise<T>): Promise<T> {
  const name = `storage_copy_${to}` as const;
  const instance = describeInstance(ctx.instanceId);
  await renewInstance(ctx.db, instance, ctx.now());
  const heartbeat = setInterval(() => {
    renewInstance(ctx.db, instance, ctx.now()).catch((error: unknown) => ctx.log.error({ err: error }, "renewing the lease failed"));
  }, LEASE_MS / 3);
  try {
    const before = await take(ctx, name);
    const unproven = new Set(before.unproven);
    const save = (holder: string | null): Promise<void> => saveSetting(ctx.db, name, JSON.stringify({ holder, unproven: [...unproven] }));
    try {
      return await work({
        unproven: new Set(before.unproven),
        async begin(keys) {
          for (const key of keys) unproven.add(key);
          await save(instance.id);
        },
        settle: (key) => void unproven.delete(key),
      });
    } finally {
      await save(null);
    }
  } finally {
    clearInterval(heartbeat);
    await removeInstance(ctx.db, instance.id);
  }
}

async function take(ctx: Ctx, name: Parameters<typeof findSetting>[1]): Promise<Remembered> {
  return await ctx.tx(async (ctx) => {
    const text = await findSetting(ctx.db, name);
    const before: Remembered = text === undefined ? { holder: null, unproven: [] } : JSON.parse(text);
    if (before.holder !== null && (await listLiving(ctx.db, ctx.now())).has(before.holder)) throw taken();
    await saveSetting(ctx.db, name, JSON.stringify({ ...before, holder: ctx.instanceId }));
    return before;
  });
}

const taken = (): AppError => new AppError("CONFLICT", "Another copy to that store is running. Wait for it to end, or stop it.");
