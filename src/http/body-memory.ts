import type { Ctx } from "../context.ts";
import { DIRECT_UPLOAD } from "../contract/scalars.ts";
import { rateLimited } from "../domain/rate-limited.ts";
import { AppError } from "../errors.ts";
import type { BodyPace } from "./body-watch.ts";
import { type Caller, type CallerSubject, callerSubjects } from "./callers.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** The first bytes of every body come from a pool of their own, so that small bodies get through whatever large ones hold. */
export const FIRST_BYTES = 16 * KiB;

/** What bodies may hold in this process, and those of one caller (request limits, "Bodies in memory"). */
export const BODY_POOLS = {
  first: { totalBytes: 16 * MiB, callerBytes: MiB },
  rest: { totalBytes: 64 * MiB, callerBytes: 2 * (DIRECT_UPLOAD.maxFileBytes + DIRECT_UPLOAD.overheadBytes) },
} as const;

/** A network of many callers, such as a /48, holds as much as so many of them. */
const MAX_TIMES = 2;

/** How slowly a body may come that is read into memory: at least 1 KB a second, eight times as much where others wait for room. */
export const HELD_PACE = { stallMs: 30_000, windowMs: 15_000, windowBytes: 15 * KiB, windowBytesWhenFull: 120 * KiB } as const;

/** How long a body waits for room: for that of others, and for the caller's own. */
const WAIT_MS = { total: 10_000, caller: 60_000 } as const;
/** Bodies that wait at once, and those of one caller. Few: of each, the runtime has received more than a megabyte before it stops. */
const MAX_WAITING = { total: 64, caller: 16 } as const;
const RETRY_MS = 5_000;

/** What stands in the way: all bodies together, or those of the caller. */
type Full = "total" | "caller";

/** What one body holds of the memory for bodies; disposing gives it back. */
export interface BodyHold extends Disposable {
  /** Whether the body may hold `bytes` in all; where it may not, it holds what it held. */
  tryHold(bytes: number): boolean;
  /** Waits until the body may hold `bytes` in all. Throws UNAVAILABLE, or RATE_LIMITED where the caller's other bodies are in the way. */
  hold(bytes: number): Promise<void>;
}

export interface BodyMemory {
  open(caller: Caller): BodyHold;
  /** Whether a body waits for the room of others. */
  isFull(): boolean;
  /** How slowly a body may come that is read into memory. */
  readonly pace: BodyPace;
}

/** Counts what bodies hold that are read into memory, by caller and in all. */
export function createBodyMemory(ctx: Pick<Ctx, "keyring" | "now">): BodyMemory {
  const pools = [createPool(BODY_POOLS.first), createPool(BODY_POOLS.rest)] as const;
  const waiting = new Set<Waiting>();

  const wake = (): void => {
    for (const one of waiting) if (one.attempt() === undefined) one.resolve();
  };

  const isFull = (): boolean => waiting.values().some(({ reason }) => reason === "total");

  function open(caller: Caller): BodyHold {
    const subjects = callerSubjects(ctx, caller);
    let held: readonly [number, number] = [0, 0];
    const attempt = (bytes: number): Full | undefined => {
      const wanted = split(bytes);
      const full = pools.map((pool, n) => pool.findFull(subjects, (wanted[n] ?? 0) - (held[n] ?? 0))).find((one) => one !== undefined);
      if (full === undefined) set(wanted);
      return full;
    };
    const set = (wanted: readonly [number, number]): void => {
      pools.forEach((pool, n) => {
        pool.add(subjects, (wanted[n] ?? 0) - (held[n] ?? 0));
      });
      held = wanted;
    };
    /** Nobody takes the room that others have waited for longer. */
    const attemptInTurn = (bytes: number): Full | undefined => (bytes > FIRST_BYTES && isFull() ? "total" : attempt(bytes));
    return {
      tryHold: (bytes) => attemptInTurn(bytes) === undefined,
      async hold(bytes) {
        const full = attemptInTurn(bytes);
        if (full !== undefined) await wait(full, subjects[0].subject, () => attempt(bytes));
      },
      [Symbol.dispose]() {
        set([0, 0]);
        wake();
      },
    };
  }

  async function wait(reason: Full, subject: string, attempt: () => Full | undefined): Promise<void> {
    const ofCaller = waiting.values().filter((one) => one.subject === subject);
    if (waiting.size >= MAX_WAITING.total || ofCaller.toArray().length >= MAX_WAITING.caller) throw refusal(reason, ctx.now());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one: Waiting = { reason, subject, attempt, resolve };
    waiting.add(one);
    const timer = setTimeout(() => reject(refusal(reason, ctx.now())), WAIT_MS[reason]);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(one);
    }
  }

  const { stallMs, windowMs, windowBytes, windowBytesWhenFull } = HELD_PACE;
  return { open, isFull, pace: { stallMs, windowMs, windowBytes: () => (isFull() ? windowBytesWhenFull : windowBytes) } };
}

interface Waiting {
  readonly reason: Full;
  readonly subject: string;
  attempt(): Full | undefined;
  resolve(): void;
}

const split = (bytes: number): readonly [number, number] => [Math.min(bytes, FIRST_BYTES), Math.max(0, bytes - FIRST_BYTES)];

interface PoolLimits {
  readonly totalBytes: number;
  readonly callerBytes: number;
}

function createPool({ totalBytes, callerBytes }: PoolLimits) {
  const bySubject = new Map<string, number>();
  let usedBytes = 0;
  return {
    /** What has no room for `bytes` more; undefined where all have. */
    findFull(subjects: readonly CallerSubject[], bytes: number): Full | undefined {
      if (bytes <= 0) return undefined;
      const limitOf = ({ times }: CallerSubject): number => callerBytes * Math.min(times, MAX_TIMES);
      if (subjects.some((one) => (bySubject.get(one.subject) ?? 0) + bytes > limitOf(one))) return "caller";
      return usedBytes + bytes > totalBytes ? "total" : undefined;
    },
    add(subjects: readonly CallerSubject[], bytes: number): void {
      if (bytes === 0) return;
      usedBytes += bytes;
      for (const { subject } of subjects) {
        const now = (bySubject.get(subject) ?? 0) + bytes;
        if (now === 0) bySubject.delete(subject);
        else bySubject.set(subject, now);
      }
    },
  };
}

function refusal(reason: Full, nowMs: number): AppError {
  if (reason === "total") return noRoom();
  return rateLimited({
    nowMs,
    resetsAtMs: nowMs + RETRY_MS,
    message: () => "Too many large requests of yours are under way. Wait until some have ended.",
    fields: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  });
}

/** There is no memory for a body. */
export const noRoom = (): AppError =>
  new AppError("UNAVAILABLE", "The server has too many requests to read at the moment. Try again in a few seconds.", {
    headers: { "Retry-After": String(RETRY_MS / 1000) },
  });
