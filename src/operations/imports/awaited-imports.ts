import { AppError } from "../../errors.ts";
import { createPaceMeter, findSlowest, type PaceMeter } from "./pace-meter.ts";

/** How many imports run at the same time whose callers wait for them, in one process. */
const MAX_RUNNING = 32;
/** Of one caller. */
const MAX_PER_KEY = 6;

/** An import whose caller waits for it. */
export interface AwaitedImport extends Disposable {
  /** Fires with its reason when a newcomer gets its slot. */
  readonly signal: AbortSignal;
  /** Counts what has arrived. */
  add(bytes: number): void;
}

/** The imports of this process whose callers wait for them. */
export interface AwaitedImports {
  /**
   * Takes a slot until it is disposed of. Where all are taken, the slowest import makes room for a caller who has none. Throws
   * TOO_MANY_UPLOADS where `key` has too many, UNAVAILABLE where nothing makes room.
   */
  start(key: string): AwaitedImport;
}

interface Running {
  readonly key: string;
  readonly controller: AbortController;
  readonly meter: PaceMeter;
  bytes: number;
}

export function createAwaitedImports(now: () => number): AwaitedImports {
  const running = new Set<Running>();
  return {
    start(key) {
      const own = [...running].filter((other) => other.key === key).length;
      if (own >= MAX_PER_KEY) throw tooMany();
      if (running.size >= MAX_RUNNING) {
        const slowest = own === 0 ? findSlowest(running, ({ meter, bytes }) => meter.measure(bytes)) : undefined;
        if (!slowest) throw allBusy();
        running.delete(slowest);
        slowest.controller.abort(madeRoom());
      }
      const started: Running = { key, controller: new AbortController(), meter: createPaceMeter(now), bytes: 0 };
      running.add(started);
      return {
        signal: started.controller.signal,
        add(bytes) {
          started.bytes += bytes;
        },
        [Symbol.dispose]: () => void running.delete(started),
      };
    },
  };
}

const tooMany = (): AppError =>
  new AppError(
    "TOO_MANY_UPLOADS",
    `${MAX_PER_KEY} of your imports are running. Wait for one, or queue a job with POST /files/remote-multipart/init.`,
    { headers: { "Retry-After": "10" } },
  );

const allBusy = (): AppError =>
  new AppError("UNAVAILABLE", "All import slots are busy. Try again in a moment, or queue a job with POST /files/remote-multipart/init.", {
    headers: { "Retry-After": "10" },
  });

const madeRoom = (): AppError =>
  new AppError(
    "UNAVAILABLE",
    "The remote server sends slowly, and others wait. Queue a job instead, with POST /files/remote-multipart/init.",
    {
      headers: { "Retry-After": "30" },
    },
  );
