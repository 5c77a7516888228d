/** What has to come of a body that is read into memory, in bytes, in each window of so many ticks (request limits, "Slow bodies"). */
export const PACE = { ticks: 15, leastBytes: 15 * 1024, leastBytesWhenFull: 120 * 1024 } as const;

const TICK_MS = 1_000;

export interface PacedBody {
  /** Whether it came too slowly, and was cut. */
  readonly isCut: boolean;
  count(bytes: number): void;
  /** While the server makes it wait, nothing has to come. */
  pause(): void;
  resume(): void;
  end(): void;
}

export interface BodyPace {
  /** Calls `cut`, once, where the body comes too slowly. */
  watch(cut: () => void): PacedBody;
}

/**
 * Watches all bodies that are being read, with one timer. It counts ticks, not time: a server that was busy, or a machine that slept, cuts
 * nobody.
 */
export function createBodyPace({ isFull, tickMs = TICK_MS }: { readonly isFull: () => boolean; readonly tickMs?: number }): BodyPace {
  const watched = new Set<Watched>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const tick = (): void => {
    if (watched.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const leastBytes = isFull() ? PACE.leastBytesWhenFull : PACE.leastBytes;
    for (const body of watched) {
      if (body.isPaused) continue;
      body.ticks += 1;
      if (body.ticks < PACE.ticks) continue;
      if (body.bytes >= leastBytes) {
        begin(body);
        continue;
      }
      body.isCut = true;
      watched.delete(body);
      body.cut();
    }
  };

  return {
    watch(cut) {
      const body: Watched = { cut, ticks: 0, bytes: 0, isPaused: false, isCut: false };
      watched.add(body);
      if (timer === undefined) {
        timer = setInterval(tick, tickMs);
        timer.unref();
      }
      return {
        get isCut() {
          return body.isCut;
        },
        count(bytes) {
          body.bytes += bytes;
        },
        pause() {
          body.isPaused = true;
        },
        resume() {
          body.isPaused = false;
          begin(body);
        },
        end: () => void watched.delete(body),
      };
    },
  };
}

interface Watched {
  readonly cut: () => void;
  ticks: number;
  bytes: number;
  isPaused: boolean;
  isCut: boolean;
}

/** Begins a new window. */
function begin(body: Watched): void {
  body.ticks = 0;
  body.bytes = 0;
}
