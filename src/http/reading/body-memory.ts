import type { Ctx } from "../../context.ts";
import { DIRECT_UPLOAD } from "../../contract/scalars.ts";
import { AppError } from "../../errors.ts";
import { createKeyedCounter } from "../../lib/concurrency/keyed-counter.ts";
import { createWaitQueue, type Waiter } from "../../lib/concurrency/wait-queue.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { rateLimited } from "../../service/accounts/rate-limits.ts";
import { type Caller, type RateLimitKey, rateLimitKeys } from "../callers/rate-limit-keys.ts";
import type { BodyPace } from "./body-watch.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** Size of the first bytes of a body, which come from a separate pool, so that small bodies are read even when large ones have used up the memory. */
export const FIRST_BYTES = 16 * KiB;

/** Memory for bodies in this server instance, in all and per caller (request limits, "Bodies in memory"). */
export const BODY_POOLS = {
  first: { totalBytes: memoryPlan.bodies.firstBytes, callerBytes: MiB },
  rest: { totalBytes: memoryPlan.bodies.restBytes, callerBytes: 2 * (DIRECT_UPLOAD.maxFileBytes + DIRECT_UPLOAD.overheadBytes) },
} as const;

/** Maximum memory of a network of many callers, such as a /48, as a multiple of one caller's. */
const MAX_MULTIPLIER = 2;

/** The slowest pace of a body that is read into memory: 1 KB per second, and eight times as much while other bodies wait for memory. */
export const BUFFERED_PACE = { stallMs: 30_000, windowMs: 15_000, windowBytes: 15 * KiB, windowBytesWhenFull: 120 * KiB } as const;

/** Maximum wait for memory that other callers use (`total`), and that the caller's other bodies use (`caller`). */
const WAIT_MS = { total: 10_000, caller: 60_000 } as const;
/** Maximum number of bodies that wait for memory. It is low, because the runtime buffers more than a megabyte of each. */
const MAX_WAITING = { total: 64, perKey: 16 } as const;
const RETRY_MS = 5_000;

/** The reached limit: the limit of all bodies, or of the caller. */
type ReachedLimit = "total" | "caller";

/** The memory that is reserved for one body; disposing of it releases the memory. */
export interface BodyReservation extends Disposable {
  /** Changes the reservation to a total of `bytes`. Returns false, and changes nothing, if a limit is reached. */
  tryReserve(bytes: number): boolean;
  /** Waits until the reservation can be `bytes` in total. Throws UNAVAILABLE, or RATE_LIMITED if the caller's other bodies use the memory. */
  reserve(bytes: number): Promise<void>;
  /** Releases all but `bytes`, which is less than reserved. */
  shrink(bytes: number): void;
}

export interface BodyMemory {
  /** Opens an empty reservation for one body. */
  open(caller: Caller): BodyReservation;
  /** Whether a body waits for memory that other callers use. */
  isFull(): boolean;
  /** The slowest pace of a body that is read into memory. */
  readonly pace: BodyPace;
}

/** Creates the count of memory for bodies that are read into memory, per caller and in total. */
export function createBodyMemory(ctx: Pick<Ctx, "keyring" | "now">): BodyMemory {
  const pools = [createPool(BODY_POOLS.first), createPool(BODY_POOLS.rest)] as const;
  const queue = createWaitQueue<BodyWaiter>(MAX_WAITING);

  const isFull = (): boolean => queue.some(({ reason }) => reason === "total");

  function open(caller: Caller): BodyReservation {
    const subjects = rateLimitKeys(ctx, caller);
    let reserved: readonly [number, number] = [0, 0];
    const attempt = (bytes: number): ReachedLimit | undefined => {
      const wanted = split(bytes);
      const full = pools.map((pool, n) => pool.findFull(subjects, (wanted[n] ?? 0) - (reserved[n] ?? 0))).find((one) => one !== undefined);
      if (full === undefined) set(wanted);
      return full;
    };
    const set = (wanted: readonly [number, number]): void => {
      pools.forEach((pool, n) => {
        pool.add(subjects, (wanted[n] ?? 0) - (reserved[n] ?? 0));
      });
      reserved = wanted;
    };
    const shrink = (bytes: number): void => {
      set(split(bytes));
      queue.wake();
    };
    /** Reserves only if no body waits already, so that the order is kept. */
    const attemptInOrder = (bytes: number): ReachedLimit | undefined => (bytes > FIRST_BYTES && isFull() ? "total" : attempt(bytes));
    return {
      tryReserve: (bytes) => attemptInOrder(bytes) === undefined,
      async reserve(bytes) {
        const reason = attemptInOrder(bytes);
        if (reason === undefined) return;
        await queue.wait({
          key: subjects[0].subject,
          reason,
          attempt: () => attempt(bytes) === undefined,
          timeoutMs: WAIT_MS[reason],
          refusal: () => refusal(reason, ctx.now()),
        });
      },
      shrink,
      [Symbol.dispose]: () => shrink(0),
    };
  }

  const { stallMs, windowMs, windowBytes, windowBytesWhenFull } = BUFFERED_PACE;
  return { open, isFull, pace: { stallMs, windowMs, windowBytes: () => (isFull() ? windowBytesWhenFull : windowBytes) } };
}

interface BodyWaiter extends Waiter {
  readonly reason: ReachedLimit;
}

/** Divides a size between the pools for first bytes and for the rest. */
const split = (bytes: number): readonly [number, number] => [Math.min(bytes, FIRST_BYTES), Math.max(0, bytes - FIRST_BYTES)];

interface PoolLimits {
  readonly totalBytes: number;
  readonly callerBytes: number;
}

function createPool({ totalBytes, callerBytes }: PoolLimits) {
  const bySubject = createKeyedCounter();
  let usedBytes = 0;
  return {
    /** The limit that `bytes` more would exceed; undefined if none. */
    findFull(subjects: readonly RateLimitKey[], bytes: number): ReachedLimit | undefined {
      if (bytes <= 0) return undefined;
      const limitOf = ({ multiplier }: RateLimitKey): number => callerBytes * Math.min(multiplier, MAX_MULTIPLIER);
      if (subjects.some((one) => bySubject.get(one.subject) + bytes > limitOf(one))) return "caller";
      return usedBytes + bytes > totalBytes ? "total" : undefined;
    },
    add(subjects: readonly RateLimitKey[], bytes: number): void {
      if (bytes === 0) return;
      usedBytes += bytes;
      for (const { subject } of subjects) bySubject.add(subject, bytes);
    },
  };
}

function refusal(reason: ReachedLimit, nowMs: number): AppError {
  if (reason === "total") return bodyMemoryFull();
  return rateLimited({
    nowMs,
    resetsAtMs: nowMs + RETRY_MS,
    message: () => "Too many of your large requests are running. Wait until some have ended.",
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  });
}

export const bodyMemoryFull = (): AppError =>
  new AppError("UNAVAILABLE", "The server has too many requests to read. Try again in a few seconds.", {
    retryAfterSeconds: RETRY_MS / 1000,
  });
