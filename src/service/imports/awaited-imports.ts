import { AppError } from "../../errors.ts";
import { createPaceMeter, findSlowest, type PaceMeter } from "./import-progress.ts";

/** Maximum number of imports with waiting callers that run at the same time in one server instance. */
const MAX_RUNNING = 32;
const MAX_RUNNING_PER_CALLER = 6;

/** An import whose caller waits for the result. */
export interface AwaitedImport extends Disposable {
  /** Fires, with an error as its reason, when another caller gets the import's slot. */
  readonly signal: AbortSignal;
  /** Counts received bytes. */
  add(bytes: number): void;
}

/** The slots for imports of this server instance whose callers wait for them. */
export interface AwaitedImports {
  /**
   * Occupies a slot until the result is disposed of; `key` identifies the caller. If no slot is free, a caller without an import gets the slot of the
   * slowest import. Throws TOO_MANY_UPLOADS if the caller has too many imports, UNAVAILABLE if no slot can be freed.
   */
  start(key: string): AwaitedImport;
}

interface RunningAwaitedImport {
  readonly key: string;
  readonly controller: AbortController;
  readonly meter: PaceMeter;
  bytes: number;
}

export function createAwaitedImports(now: () => number): AwaitedImports {
  const running = new Set<RunningAwaitedImport>();
  return {
    start(key) {
      const own = [...running].filter((other) => other.key === key).length;
      if (own >= MAX_RUNNING_PER_CALLER) throw tooMany();
      if (running.size >= MAX_RUNNING) {
        const slowest = own === 0 ? findSlowest(running, ({ meter, bytes }) => meter.measure(bytes)) : undefined;
        if (!slowest) throw allBusy();
        running.delete(slowest);
        slowest.controller.abort(slotReassigned());
      }
      const started: RunningAwaitedImport = { key, controller: new AbortController(), meter: createPaceMeter(now), bytes: 0 };
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
    `${MAX_RUNNING_PER_CALLER} of your imports are running. Wait for one to finish, or create a job with POST /files/remote-multipart/init.`,
    { retryAfterSeconds: 10 },
  );

const allBusy = (): AppError =>
  new AppError(
    "UNAVAILABLE",
    "The server is busy with other imports. Try again in a moment, or create a job with POST /files/remote-multipart/init.",
    {
      retryAfterSeconds: 10,
    },
  );

const slotReassigned = (): AppError =>
  new AppError(
    "UNAVAILABLE",
    "The remote server is slow while other imports wait. Create a job with POST /files/remote-multipart/init instead.",
    {
      retryAfterSeconds: 30,
    },
  );
