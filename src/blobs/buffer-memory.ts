import { AppError } from "../errors.ts";
import { createWaitQueue } from "../lib/concurrency/wait-queue.ts";
import { memoryPlan } from "../lib/system/memory-plan.ts";
import { createReservedBytes } from "./reserved-bytes.ts";
import type { SpaceGroup } from "./store.ts";

/**
 * The fractions of the memory that may be used: for optional memory, which saves requests; for required memory; and for the first bytes, so that any
 * body can start however much large ones use.
 */
const FRACTIONS = { spare: 1 / 3, needed: 2 / 3, first: 1 } as const;
export type MemoryNeed = keyof typeof FRACTIONS;

/** Maximum time that a body waits for memory, unread. */
const WAIT_TIMEOUT_MS = 30_000;
/**
 * Maximum number of waiting bodies, in total and per caller. It is low, because the runtime receives more than a megabyte of each before it stops
 * reading.
 */
const MAX_WAITING = { total: 64, perKey: 12 } as const;
const RETRY_SECONDS = 5;

/** The memory of one body. */
export interface MemoryReservation {
  readonly bytes: number;
  /**
   * Increases the reservation to a total of `bytes` and returns true. Returns false and changes nothing if there is not enough memory; never for at
   * most the current size.
   */
  tryGrow(bytes: number, need: MemoryNeed): boolean;
  /** Waits until the body may use a total of `bytes`. Throws UNAVAILABLE if that takes too long or too many bodies wait. */
  grow(bytes: number, need: MemoryNeed): Promise<void>;
  /** Releases all but `bytes`. */
  shrink(bytes: number): void;
}

export interface BodyBuffers {
  /** `groups`: see `StageOptions.memoryGroups`. */
  open(groups: readonly SpaceGroup[]): MemoryReservation;
}

export interface BufferMemoryOptions {
  /** request limits, "Direct uploads on S3". */
  readonly totalBytes?: number;
  readonly waitMs?: number;
}

/** Creates the limits on the memory of bodies, in total and by group: each group has its fraction of the memory that others have left. */
export function createBufferMemory({
  totalBytes = memoryPlan.s3UploadBytes,
  waitMs = WAIT_TIMEOUT_MS,
}: BufferMemoryOptions = {}): BodyBuffers {
  const reserved = createReservedBytes();
  const queue = createWaitQueue(MAX_WAITING);

  return {
    open(groups) {
      const caller = groups.at(-1)?.name;
      let bytes = 0;
      const tryGrow = (wanted: number, need: MemoryNeed): boolean => {
        if (wanted <= bytes) return true;
        const refused = reserved.checkLimit(groups, { moreBytes: wanted - bytes, roomBytes: totalBytes * FRACTIONS[need] });
        if (refused !== undefined) return false;
        reserved.add(groups, wanted - bytes);
        bytes = wanted;
        return true;
      };
      return {
        get bytes() {
          return bytes;
        },
        tryGrow,
        async grow(wanted, need) {
          const attempt = (): boolean => tryGrow(wanted, need);
          if (!attempt()) await queue.wait({ key: caller, attempt, timeoutMs: waitMs, refusal: noMemory });
        },
        shrink(to) {
          if (to >= bytes) return;
          reserved.add(groups, to - bytes);
          bytes = to;
          queue.wake();
        },
      };
    },
  };
}

const noMemory = (): AppError =>
  new AppError("UNAVAILABLE", "The server has no memory for another upload. Try again in a few seconds.", {
    retryAfterSeconds: RETRY_SECONDS,
  });
