import type { AppError } from "../../errors.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { HttpError } from "../responding/http-error.ts";

/** The slowest pace at which a client may send a body (connections, "Slow uploads"). */
export interface BodyPace {
  /** Maximum time without a byte. */
  readonly stallMs: number;
  /** The length of a window, in which at least `windowBytes` must arrive. */
  readonly windowMs: number;
  /** Returns the minimum for a window. It is called at the end of each window, because the minimum depends on the server's load. */
  readonly windowBytes: () => number;
}

/** The minimum pace of a body that is streamed to the store and occupies only its connection. */
const STREAMED: BodyPace = { stallMs: 120_000, windowMs: 300_000, windowBytes: () => 300 * 1024 };
const TICK_MS = 1_000;

/** One body that is being read. */
export interface BodyReading {
  /** Passes on the next chunk. Rejects with REQUEST_TIMEOUT if the client is too slow. */
  next(chunk: Promise<IteratorResult<Uint8Array, undefined>>): Promise<IteratorResult<Uint8Array, undefined>>;
  stop(): void;
}

/** Enforces the pace of all bodies that the process reads. */
export interface BodyWatch {
  start(pace?: BodyPace): BodyReading;
}

export interface BodyWatchOptions {
  /** The default pace. */
  readonly streamed?: BodyPace;
  /** The time that one tick counts as. */
  readonly tickMs?: number;
  /** The interval between ticks; tests make it shorter than `tickMs`. */
  readonly everyMs?: number;
}

/**
 * Creates a watch with one timer for all bodies. It counts ticks in which the server waits for bytes, not elapsed time, so that neither a busy server
 * nor a slow store times out a client.
 */
export function createBodyWatch({ streamed = STREAMED, tickMs = TICK_MS, everyMs = tickMs }: BodyWatchOptions = {}): BodyWatch {
  const readings = new Set<Reading>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const check = (): void => {
    for (const reading of readings) reading.check(tickMs);
    if (readings.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    start(pace = streamed) {
      const reading = new Reading(pace, (reading) => readings.delete(reading));
      readings.add(reading);
      timer ??= setInterval(check, everyMs).unref();
      return reading;
    },
  };
}

class Reading implements BodyReading {
  #fail: ((error: AppError) => void) | undefined;
  #windowBytes = 0;
  #windowMs = 0;
  #silentMs = 0;

  constructor(
    private readonly pace: BodyPace,
    private readonly onStop: (reading: Reading) => void,
  ) {}

  next(chunk: Promise<IteratorResult<Uint8Array, undefined>>): Promise<IteratorResult<Uint8Array, undefined>> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      chunk.then((next) => {
        this.#fail = undefined;
        this.#silentMs = 0;
        this.#windowBytes += next.value?.length ?? 0;
        resolve(next);
      }, reject);
    });
  }

  check(tickMs: number): void {
    if (!this.#fail) return;
    const { stallMs, windowMs } = this.pace;
    this.#silentMs += tickMs;
    this.#windowMs += tickMs;
    if (this.#silentMs >= stallMs) this.#fail(requestTimeout(`No byte of this request arrived for ${stallMs / 1000} seconds.`));
    if (this.#windowMs < windowMs) return;
    const windowBytes = this.pace.windowBytes();
    if (this.#windowBytes < windowBytes)
      this.#fail(
        requestTimeout(
          `This request is too slow: ${formatSize(this.#windowBytes)} in ${windowMs / 1000} seconds, but at least ${formatSize(windowBytes)} are required.`,
        ),
      );
    this.#windowMs = 0;
    this.#windowBytes = 0;
  }

  stop(): void {
    this.onStop(this);
  }
}

/** Creates the error for a slow body. It closes the connection, because the rest of the body is not read. */
const requestTimeout = (found: string): HttpError =>
  new HttpError("REQUEST_TIMEOUT", `${found} Send it again, in smaller parts if your connection is slow.`, {
    headers: { Connection: "close" },
  });
