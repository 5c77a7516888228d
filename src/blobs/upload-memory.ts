import { AppError } from "../errors.ts";
import { createPromisedBytes } from "./promised-bytes.ts";
import type { SpaceGroup } from "./store.ts";

/** What the bodies of whole uploads may hold in this process (docs/interface/request-limits.md, "Direct uploads on S3"). */
const TOTAL_BYTES = 192 * 1024 ** 2;

/**
 * How much of it may be taken: for more memory than a body needs, so that it takes fewer requests; for what it needs but later; and for the
 * first bytes, with which any body can begin, whatever large ones hold.
 */
const ROOM = { spare: 1 / 3, needed: 2 / 3, first: 1 } as const;
export type MemoryNeed = keyof typeof ROOM;

/** How long a body waits for room; meanwhile nothing of it is read. */
const WAIT_MS = 30_000;
/** Bodies that wait at once, and those of one caller. Few: of each, the runtime has received more than a megabyte before it stops. */
const MAX_WAITING = { total: 64, caller: 12 } as const;
const RETRY_SECONDS = "5";

/** What one body holds of it. */
export interface MemoryHold {
  readonly bytes: number;
  /** Whether the body may hold `bytes` in all; where it may not, it holds what it held. Always, where it holds so much. */
  tryHold(bytes: number, need: MemoryNeed): boolean;
  /** Waits until the body may hold `bytes` in all. Throws UNAVAILABLE where that takes too long, or too many wait. */
  hold(bytes: number, need: MemoryNeed): Promise<void>;
  /** Gives back what is more than `bytes`. */
  shrink(bytes: number): void;
}

export interface UploadMemory {
  /** `groups` as those of `StageOptions.memoryGroups`. */
  open(groups: readonly SpaceGroup[]): MemoryHold;
}

export interface UploadMemoryOptions {
  readonly totalBytes?: number;
  readonly waitMs?: number;
}

interface Waiting {
  readonly caller: string | undefined;
  attempt(): boolean;
  resolve(): void;
}

/** Counts what bodies hold, in all and by group: each group has its share of what the others have left. */
export function createUploadMemory({ totalBytes = TOTAL_BYTES, waitMs = WAIT_MS }: UploadMemoryOptions = {}): UploadMemory {
  const held = createPromisedBytes();
  const waiting = new Set<Waiting>();

  async function wait(caller: string | undefined, attempt: () => boolean): Promise<void> {
    const ofCaller = waiting.values().filter((one) => one.caller === caller);
    if (waiting.size >= MAX_WAITING.total || ofCaller.toArray().length >= MAX_WAITING.caller) throw noMemory();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one: Waiting = { caller, attempt, resolve };
    waiting.add(one);
    const timer = setTimeout(() => reject(noMemory()), waitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(one);
    }
  }

  /** In the order in which they came. */
  function wake(): void {
    for (const one of waiting) {
      if (!one.attempt()) continue;
      waiting.delete(one);
      one.resolve();
    }
  }

  return {
    open(groups) {
      const caller = groups.at(-1)?.name;
      let bytes = 0;
      const tryHold = (wanted: number, need: MemoryNeed): boolean => {
        if (wanted <= bytes) return true;
        const refused = held.refuses(groups, { moreBytes: wanted - bytes, roomBytes: totalBytes * ROOM[need] });
        if (refused !== undefined) return false;
        held.add(groups, wanted - bytes);
        bytes = wanted;
        return true;
      };
      return {
        get bytes() {
          return bytes;
        },
        tryHold,
        async hold(wanted, need) {
          if (!tryHold(wanted, need)) await wait(caller, () => tryHold(wanted, need));
        },
        shrink(to) {
          if (to >= bytes) return;
          held.add(groups, to - bytes);
          bytes = to;
          wake();
        },
      };
    },
  };
}

const noMemory = (): AppError =>
  new AppError("UNAVAILABLE", "The server has too many uploads under way to hold another one in memory. Try again in a few seconds.", {
    headers: { "Retry-After": RETRY_SECONDS },
  });
