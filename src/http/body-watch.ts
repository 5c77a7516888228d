import { describeBytes } from "../domain/tiers.ts";
import { AppError } from "../errors.ts";

/** How slowly a client may send the body of a request (docs/interface/connections.md, "Slow uploads"). */
export interface BodyPace {
  /** Without a byte. */
  readonly stallMs: number;
  /** In each such time at least `windowBytes` arrive. */
  readonly windowMs: number;
  /** Asked at the end of each window: it may depend on what others wait for. */
  readonly windowBytes: () => number;
}

/** The pace of a body that goes to the store as it comes, and holds no more than its connection. */
const STREAMED: BodyPace = { stallMs: 120_000, windowMs: 300_000, windowBytes: () => 300 * 1024 };
const TICK_MS = 1_000;

/** One body that is being read. */
export interface BodyReading {
  /** The next chunk of it. Rejects with REQUEST_TIMEOUT where the client is too slow. */
  next(chunk: Promise<IteratorResult<Uint8Array, undefined>>): Promise<IteratorResult<Uint8Array, undefined>>;
  end(): void;
}

export interface BodyWatch {
  begin(pace?: BodyPace): BodyReading;
}

export interface BodyWatchOptions {
  /** The pace of bodies for which none is given. */
  readonly streamed?: BodyPace;
  /** What a tick counts as, and how long it is. */
  readonly tickMs?: number;
  readonly everyMs?: number;
}

/**
 * Watches all bodies with one timer, and counts its ticks rather than the time: a server that was busy cuts nobody. Only ticks in which the
 * server waits for bytes count: a slow store is not the client's fault.
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
    begin(pace = streamed) {
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
    private readonly ended: (reading: Reading) => void,
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
    if (this.#silentMs >= stallMs) this.#fail(requestTimeout(`No byte of this request has arrived for ${stallMs / 1000} seconds.`));
    if (this.#windowMs < windowMs) return;
    const windowBytes = this.pace.windowBytes();
    if (this.#windowBytes < windowBytes)
      this.#fail(
        requestTimeout(
          `This request is too slow: ${describeBytes(this.#windowBytes)} in ${windowMs / 1000} seconds, and at least ${describeBytes(windowBytes)} are required.`,
        ),
      );
    this.#windowMs = 0;
    this.#windowBytes = 0;
  }

  end(): void {
    this.ended(this);
  }
}

/** The rest of the body is not read any more, so nothing else can be sent on the connection. */
const requestTimeout = (found: string): AppError =>
  new AppError("REQUEST_TIMEOUT", `${found} Send it again, in smaller parts if your connection is slow.`, {
    headers: { Connection: "close" },
  });
