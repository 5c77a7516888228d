import { AppError } from "../../errors.ts";
import { createKeyedCounter } from "../../lib/concurrency/keyed-counter.ts";
import { createWaitQueue } from "../../lib/concurrency/wait-queue.ts";
import { type MemoryPlan, memoryPlan } from "../../lib/system/memory-plan.ts";
import { SUBNET48_FACTOR, subnet48QuotaPrefix } from "../accounts/actor.ts";

/** Maximum number of bodies that one server instance receives at the same time, per caller (owner of storage) and per multipart upload. */
const MAX_TRANSFERS = { caller: 128, upload: 32 } as const;

const RETRY_SECONDS = 2;

/** The fractions of the free slots, and of the waiting bodies, that one caller may use. */
const CALLER_FRACTIONS = { running: 1 / 2, waiting: 3 / 4 } as const;
/** Maximum time that a body waits for a slot, unread. */
const WAIT_MS = 15 * 60_000;
const FULL_RETRY_SECONDS = 5;

export interface TransferKeys {
  /** The owner of the storage that the body uses. */
  readonly quotaOwner: string;
  /** The session of a part; undefined for a direct upload. */
  readonly sessionId?: string;
}

/** Limits the number of upload bodies that this server instance receives at the same time. */
export interface UploadBodyLimiter {
  /**
   * Runs `receive` as one transfer when a slot is free. Before the body is read, throws TOO_MANY_UPLOADS at a limit of the caller, and UNAVAILABLE if
   * it waits too long or too many bodies wait.
   */
  run<T>(keys: TransferKeys, receive: () => Promise<T>): Promise<T>;
}

export interface UploadBodyLimiterOptions {
  /** Maximum numbers of received and of waiting bodies. */
  readonly slots?: MemoryPlan["transfers"];
  readonly waitMs?: number;
}

export function createUploadBodyLimiter({
  slots: limits = memoryPlan.transfers,
  waitMs = WAIT_MS,
}: UploadBodyLimiterOptions = {}): UploadBodyLimiter {
  const counts = createKeyedCounter();
  const slots = createSlots(limits, waitMs);
  return {
    async run(keys, receive) {
      const limits = toLimits(keys);
      for (const { name, max, where } of limits) if (counts.get(name) >= max) throw tooMany(max, where);
      for (const { name } of limits) counts.add(name, 1);
      try {
        using _slot = await slots.take(keys.quotaOwner);
        return await receive();
      } finally {
        for (const { name } of limits) counts.add(name, -1);
      }
    },
  };
}

/** Creates the slots for received bodies. A caller gets a fraction of the free slots, so that the next caller finds one. */
function createSlots(max: MemoryPlan["transfers"], waitMs: number) {
  const running = createKeyedCounter();
  const queue = createWaitQueue({ total: max.waiting, perKey: Math.ceil(max.waiting * CALLER_FRACTIONS.waiting) });
  let runningTotal = 0;
  return {
    async take(caller: string): Promise<Disposable> {
      const attempt = (): boolean => {
        const own = running.get(caller);
        const room = max.running - (runningTotal - own);
        if (own >= Math.max(1, Math.floor(room * CALLER_FRACTIONS.running)) || runningTotal >= max.running) return false;
        running.add(caller, 1);
        runningTotal += 1;
        return true;
      };
      if (!attempt()) await queue.wait({ key: caller, attempt, timeoutMs: waitMs, refusal: noFreeSlot });
      return {
        [Symbol.dispose]() {
          running.add(caller, -1);
          runningTotal -= 1;
          queue.wake();
        },
      };
    },
  };
}

const noFreeSlot = (): AppError =>
  new AppError("UNAVAILABLE", "The server has no memory for another upload. Try again in a few seconds.", {
    retryAfterSeconds: FULL_RETRY_SECONDS,
  });

interface TransferLimit {
  readonly name: string;
  readonly max: number;
  readonly where: string;
}

/** Returns the limits of a transfer. IPv6 also counts by its /48, at sixteen times the limit (disk space, "Simultaneous transfers"). */
function toLimits({ quotaOwner, sessionId }: TransferKeys): TransferLimit[] {
  const subnet48 = subnet48QuotaPrefix(quotaOwner);
  return [
    { name: quotaOwner, max: MAX_TRANSFERS.caller, where: "of yours" },
    ...(subnet48 === undefined ? [] : [{ name: subnet48, max: MAX_TRANSFERS.caller * SUBNET48_FACTOR, where: "from your network (/48)" }]),
    ...(sessionId === undefined ? [] : [{ name: `session:${sessionId}`, max: MAX_TRANSFERS.upload, where: "of this upload" }]),
  ];
}

const tooMany = (max: number, where: string): AppError =>
  new AppError("TOO_MANY_UPLOADS", `${max} transfers ${where} are already running. Wait for one to finish, then try again.`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
